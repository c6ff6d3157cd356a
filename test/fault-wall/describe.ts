import { type Caller, openaiError } from './callers.ts'

/** An answer as a caller has it. */
export interface Got {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  /** `broken`: the connection went before the end. `late`: no end came for a long time. */
  readonly end: 'whole' | 'broken' | 'late'
}

type Fields = Readonly<Record<string, unknown>>

/** A body as an object; empty where it is none. */
export function objectIn(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Fields) : {}
  } catch {
    return {}
  }
}

/** What a caller sees, in words that can be compared; an error that is `isPlain` is OpenAI's. */
export function describe(caller: Caller, got: Got, stream: boolean, isPlain = false): string {
  if (got.end !== 'whole') return got.end === 'late' ? 'no end' : 'a broken connection'
  const type = got.headers['content-type'] ?? ''
  if (got.status !== 200) {
    const body = objectIn(got.text)
    const error = isPlain ? openaiError(body) : caller.error(body, got.status)
    return error && type.startsWith('application/json')
      ? `error ${got.status}`
      : `no error of the format, ${got.status}: ${got.text.slice(0, 200)}`
  }
  try {
    const said = stream ? caller.stream(got.text) : caller.whole(objectIn(got.text))
    const text = said.text.trimEnd()
    if (said.end === 'whole' && text === 'Hello') return 'the response'
    if (said.end === 'error' && 'Hello'.startsWith(text.replace(/x+$/, ''))) return 'error event'
    return `"${text.slice(0, 40)}" and the end ${said.end}`
  } catch (thrown) {
    return `an answer out of order (${String(thrown)}): ${got.text.slice(-300)}`
  }
}
