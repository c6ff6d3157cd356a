import {
  type ChatChunk,
  chatUsage,
  type Fields,
  formatEvent,
  type GatewayError,
  keepAliveComment,
  noUsage,
  type OperationName,
  type Usage,
} from '@sluice/contract'
import { type PieceField, pieceIn } from '../../chat-chunks.ts'
import type { StreamWriter } from '../../client-format.ts'

const contentType = 'text/event-stream; charset=utf-8'

/** The last event of chat and text completions (OpenAI API, streaming). */
export const done = 'data: [DONE]\n\n'

export function asksForUsage(request: unknown): boolean {
  const { stream_options: options } = request as { readonly stream_options?: unknown }
  return (
    typeof options === 'object' &&
    options !== null &&
    'include_usage' in options &&
    options.include_usage === true
  )
}

/**
 * Writes chunks and `[DONE]`. With include_usage, every chunk has `usage: null`, and a last chunk without choices holds the
 * numbers. `said` returns a chunk of a chat in the form that the caller reads, or undefined if it is not meant for the
 * caller; chunks of text completions are written unchanged.
 */
export function writeChunks(
  request: unknown,
  said?: (chunk: ChatChunk) => object | undefined,
): StreamWriter<OperationName> {
  const includeUsage = asksForUsage(request)
  const format = (chunk: object): string =>
    `data: ${JSON.stringify(includeUsage ? { ...chunk, usage: null } : chunk)}\n\n`
  const texts = new AlikeChunks('content', format)
  const thoughts = new AlikeChunks('reasoning_content', format)
  let usage: Usage = noUsage
  let last: object = {}
  return {
    contentType,
    keepAlive: keepAliveComment,
    write(step) {
      if ('usage' in step) {
        usage = step.usage
        return ''
      }
      const chunk = step.event as ChatChunk
      const event = said ? said(chunk) : chunk
      if (event === undefined) return ''
      last = event
      if (said === undefined || event !== chunk) return format(event)
      return texts.written(chunk) ?? thoughts.written(chunk) ?? format(withRefusal(chunk))
    },
    end() {
      if (!includeUsage) return done
      const { choices: _choices, ...head } = last as { choices?: unknown }
      const chunk = { ...head, choices: [], usage: chatUsage(usage) }
      return `data: ${JSON.stringify(chunk)}\n\n${done}`
    },
    fail: failure,
  }
}

/** The chunk that begins a choice says that nothing is refused yet (OpenAI API, streaming). */
function withRefusal(chunk: ChatChunk): ChatChunk {
  if (chunk.choices.every(({ delta }) => delta.role === undefined)) return chunk
  const choices = chunk.choices.map((choice) =>
    choice.delta.role === undefined
      ? choice
      : { ...choice, delta: { ...choice.delta, refusal: choice.delta.refusal ?? null } },
  )
  return { ...chunk, choices }
}

/** Stands for the piece of text while a chunk is cut. */
const placeholder = '\u0000text\u0000'

/** Writes chunks that differ in a piece of text only, as most of a stream do, around the same bytes. */
class AlikeChunks {
  readonly #field: PieceField
  readonly #format: (chunk: object) => string
  #chunk: ChatChunk | undefined
  #before = ''
  /** Undefined if the chunk cannot be cut. */
  #after: string | undefined

  constructor(field: PieceField, format: (chunk: object) => string) {
    this.#field = field
    this.#format = format
  }

  /** Undefined for a chunk that holds more than a piece of this field. */
  written(chunk: ChatChunk): string | undefined {
    const piece = pieceIn(chunk, this.#field)
    if (piece === undefined) return undefined
    if (this.#chunk === undefined || !areAlike(this.#chunk, chunk)) this.#cut(chunk)
    const after = this.#after
    return after === undefined ? undefined : this.#before + JSON.stringify(piece) + after
  }

  #cut(chunk: ChatChunk): void {
    const delta = { [this.#field]: placeholder }
    const choices = chunk.choices.map((choice) => ({ ...choice, delta }))
    const text = this.#format({ ...chunk, choices })
    const [before = '', after, ...more] = text.split(JSON.stringify(placeholder))
    this.#chunk = chunk
    this.#before = before
    this.#after = more.length === 0 ? after : undefined
  }
}

/** Whether two chunks with a piece of text have the same fields beside it. */
function areAlike(one: Fields & ChatChunk, other: Fields & ChatChunk): boolean {
  for (const name in other) if (name !== 'choices' && one[name] !== other[name]) return false
  for (const name in one) if (!(name in other)) return false
  return one.choices[0]?.logprobs === other.choices[0]?.logprobs
}

/** The error is sent instead of the rest. `[DONE]` after it would indicate success. */
function failure(error: GatewayError): string {
  return `data: ${JSON.stringify(error.toJSON())}\n\n`
}

/** Writes named events, each with its `type`; speech, transcripts and images are streamed this way. */
export function writeTypedEvents(): StreamWriter<OperationName> {
  return {
    contentType,
    keepAlive: keepAliveComment,
    write(step) {
      if ('usage' in step) return ''
      const event = step.event as { readonly type?: string }
      return formatEvent({ event: event.type ?? '', data: JSON.stringify(event) })
    },
    end: () => '',
    fail: (error) =>
      formatEvent({ event: 'error', data: JSON.stringify({ type: 'error', ...error.toJSON() }) }),
  }
}
