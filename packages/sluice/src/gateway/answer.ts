import { type EventBlock, GatewayError, type OperationName } from '@sluice/contract'
import type { FormatContext, StreamWriter } from '@sluice/protocols'
import type { AnyStep, Attempted } from './attempt.ts'
import { canonicalWriter, missingTerminal } from './canonical-writer.ts'
import type { Answer, Call, Gateway } from './gateway.ts'

/** What a call's format writes its stream with; also used for errors once the status is gone. */
export function writerOf(call: Call, context: FormatContext): StreamWriter<OperationName> {
  if (!call.format) return canonicalWriter(call.operation, call.request)
  const writer = call.format.writer?.(call.request, context, call.query)
  if (!writer)
    throw new GatewayError('unsupported_parameter', 'This operation cannot be streamed', {
      param: 'stream',
    })
  return writer
}

export function formatContext({ now, newId }: Gateway, { headers }: Call): FormatContext {
  return { now, newId, headers }
}

/** An attempt's answer in the caller's format. Closes the meter of whole answers; streams close their own. */
export function answerOf(gateway: Gateway, call: Call, attempted: Attempted): Answer {
  try {
    return shaped(gateway, call, attempted)
  } catch (thrown) {
    // Nobody will read it to its end.
    attempted.abandon()
    throw thrown
  }
}

function shaped(gateway: Gateway, call: Call, attempted: Attempted): Answer {
  const { answer, meter } = attempted
  const headers = answerHeaders(gateway, call)
  switch (answer.kind) {
    case 'reply': {
      meter.close('completed', answer.usage)
      const body = call.format
        ? call.format.fromCanonical(answer.reply, call.request, formatContext(gateway, call))
        : answer.reply
      return { kind: 'json', headers, body }
    }
    case 'native': {
      meter.close('completed', answer.usage)
      const { bytes, contentType } = answer.received
      return { kind: 'bytes', headers, bytes, contentType }
    }
    case 'media':
      return {
        kind: 'stream',
        headers,
        contentType: answer.contentType,
        ...(answer.length !== undefined && { length: answer.length }),
        pieces: meteredMedia(attempted, answer),
      }
    case 'steps': {
      const writer = writerOf(call, formatContext(gateway, call))
      const pieces = writtenSteps({ gateway, call, writer }, answer.batches)
      return { kind: 'stream', headers, contentType: writer.contentType, pieces }
    }
    case 'blocks': {
      const writer = writerOf(call, formatContext(gateway, call))
      const pieces = writtenBlocks({ gateway, call, writer }, answer.batches)
      return { kind: 'stream', headers, contentType: answer.contentType, pieces }
    }
  }
}

/** What happened, for the caller: who answered, under which name, after how many attempts, and what was left out. */
export function answerHeaders({ now }: Gateway, { trail }: Call): Readonly<Record<string, string>> {
  const total = now() - trail.startedAt
  const timing = [
    ...(trail.upstreamMs === undefined ? [] : [`upstream;dur=${trail.upstreamMs}`]),
    `total;dur=${total}`,
  ]
  return {
    ...(trail.provider !== undefined && { 'x-sluice-provider': headerText(trail.provider) }),
    ...(trail.model !== undefined && { 'x-sluice-model': headerText(trail.model) }),
    'x-sluice-attempts': String(trail.attempts),
    ...(trail.dropped.size > 0 && {
      'x-sluice-dropped': headerText([...trail.dropped].join(', ')),
    }),
    'server-timing': timing.join(', '),
  }
}

/** Clients refuse an answer whose headers are larger than 16 KiB together (Node's and undici's limit). */
const headerTextMax = 2_000

/** Header values hold visible ASCII; anything else of a name is percent-encoded, and a very long one is cut. */
export function headerText(text: string): string {
  const encoded = text
    .slice(0, headerTextMax)
    .toWellFormed()
    .replace(/[^\x20-\x7e]/gu, (character) => encodeURIComponent(character))
  const isCut = text.length > headerTextMax || encoded.length > headerTextMax
  return isCut ? `${encoded.slice(0, headerTextMax)}...` : encoded
}

interface Writing {
  readonly gateway: Gateway
  readonly call: Call
  readonly writer: StreamWriter<OperationName>
}

async function* writtenSteps(
  writing: Writing,
  batches: AsyncIterable<readonly AnyStep[]>,
): AsyncGenerator<string> {
  const { writer } = writing
  try {
    for await (const steps of batches) {
      let text = ''
      for (const step of steps) text += writer.write(step)
      if (text !== '') yield text
    }
    const end = writer.end()
    if (end !== '') yield end
  } catch (thrown) {
    yield failed(writing, thrown)
  }
}

const doneEvent = 'data: [DONE]'

async function* writtenBlocks(
  writing: Writing,
  batches: AsyncIterable<readonly EventBlock[]>,
): AsyncGenerator<string | Uint8Array> {
  const { call, writer } = writing
  writer.passed?.()
  const terminal = missingTerminal(call.operation, call.format !== undefined)
  let ended = terminal === ''
  try {
    for await (const blocks of batches) {
      const [first] = blocks
      if (!first) continue
      ended ||= blocks.some(({ data }) => data === doneEvent.slice('data: '.length))
      yield blocks.length === 1 ? first.raw : Buffer.concat(blocks.map(({ raw }) => raw))
    }
    if (!ended) yield terminal
  } catch (thrown) {
    yield failed(writing, thrown)
  }
}

function failed({ gateway, call, writer }: Writing, thrown: unknown): string {
  const error = GatewayError.from(thrown)
  if (error.code !== 'cancelled')
    gateway.log.warn(
      { call: call.id, code: error.code, provider: call.trail.provider, cause: causeText(error) },
      'a stream ended in an error',
    )
  return writer.fail(error)
}

export function causeText({ details }: GatewayError): string | undefined {
  const { cause } = details
  if (cause === undefined) return undefined
  // The engine's own words of broken JSON quote the text, which is an answer or a prompt.
  if (cause instanceof SyntaxError) return cause.name
  if (cause instanceof Error) return cause.stack ?? cause.message
  return typeof cause === 'string' ? cause : JSON.stringify(cause)
}

async function* meteredMedia(
  { meter }: Attempted,
  { body, usage }: Extract<Attempted['answer'], { kind: 'media' }>,
): AsyncGenerator<Uint8Array> {
  let ended: 'completed' | 'incomplete' | 'cancelled' = 'cancelled'
  try {
    yield* body
    ended = 'completed'
  } catch (thrown) {
    ended = GatewayError.from(thrown).code === 'cancelled' ? 'cancelled' : 'incomplete'
    throw thrown
  } finally {
    meter.close(ended, usage)
  }
}
