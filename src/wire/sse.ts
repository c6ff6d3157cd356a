import { createParser } from 'eventsource-parser'

/** One server-sent event. `event` is '' when the stream names none. */
export interface ServerSentEvent {
  readonly event: string
  readonly data: string
}

/** A longer line than this is refused as garbage; no model sends one, a broken proxy may. */
const pendingCharactersMax = 64 * 1024 * 1024

/**
 * Bytes to events, whatever the chunking: LF, CR and CRLF line ends, comments, a byte order mark, several data
 * lines, several events in one piece, and a last event without its blank line (WHATWG HTML, 9.2.6; the last is a
 * lenience, because a few upstreams close without it).
 *
 * Yields one array per piece of bytes, so that events which arrived together can leave together.
 */
export async function* parseEventBatches(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly ServerSentEvent[]> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let ready: ServerSentEvent[] = []
  const parser = createParser({
    onEvent: ({ event, data }) => {
      ready.push({ event: event ?? '', data })
    },
    maxBufferSize: pendingCharactersMax,
  })
  const take = (): readonly ServerSentEvent[] => {
    const batch = ready
    ready = []
    return batch
  }
  for await (const piece of pieces) {
    parser.feed(decoder.decode(piece, { stream: true }))
    if (ready.length > 0) yield take()
  }
  parser.feed(`${decoder.decode()}\n\n`)
  if (ready.length > 0) yield take()
}

/** As parseEventBatches, one event at a time. */
export async function* parseEvents(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  for await (const batch of parseEventBatches(pieces)) yield* batch
}

/** An event as it goes on the wire. Data must hold no line break, which JSON.stringify guarantees. */
export function formatEvent({ event, data }: ServerSentEvent): string {
  return event === '' ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`
}

/** A comment, which every client ignores: keeps intermediaries from closing a silent connection. */
export const keepAliveComment = ': keep-alive\n\n'
