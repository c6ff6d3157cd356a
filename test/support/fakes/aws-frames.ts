import { EventStreamCodec } from '@smithy/eventstream-codec'

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes)),
  (text) => new TextEncoder().encode(text),
)

/** One frame of Amazon's event stream encoding. */
export function awsFrame(headers: Readonly<Record<string, string>>, payload: string): Uint8Array {
  return codec.encode({
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, { type: 'string', value }]),
    ),
    body: new TextEncoder().encode(payload),
  })
}

/** Encodes lines of {"eventType": payload} as frames, as ConverseStream sends them. */
export function converseFrames(lines: readonly string[]): Uint8Array {
  return Buffer.concat(
    lines.map((line) => {
      const [entry] = Object.entries(JSON.parse(line) as Record<string, unknown>)
      if (entry === undefined) throw new Error(`An empty line of a stream: ${line}`)
      return awsFrame(
        { ':message-type': 'event', ':event-type': entry[0], ':content-type': 'application/json' },
        JSON.stringify(entry[1]),
      )
    }),
  )
}
