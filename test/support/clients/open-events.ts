/** A server-sent event whose data is JSON. */
export interface SeenEvent {
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Receives server-sent events until disposed. */
export interface OpenEvents extends AsyncDisposable {
  readonly seen: readonly SeenEvent[]
  /** Settles when the other side has ended the stream. */
  readonly over: Promise<void>
}

/** Opens a stream of events; resolves once the response headers have arrived. */
export async function openEvents(url: string, key: string): Promise<OpenEvents> {
  const controller = new AbortController()
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${key}` },
    signal: controller.signal,
  })
  if (response.status !== 200 || !response.body) throw new Error(`${url}: ${response.status}`)
  const seen: SeenEvent[] = []
  const over = read(response.body, seen).catch((error: unknown) => {
    if (!controller.signal.aborted) throw error
  })
  return {
    seen,
    over,
    async [Symbol.asyncDispose]() {
      controller.abort()
      await over
    },
  }
}

async function read(body: ReadableStream<Uint8Array>, seen: SeenEvent[]): Promise<void> {
  let text = ''
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    text += piece
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, event] = /^event: (.*)$/m.exec(block) ?? []
      const [, data = '{}'] = /^data: (.*)$/m.exec(block) ?? []
      if (event !== undefined) seen.push({ event, data: JSON.parse(data) })
    }
  }
}
