import {
  type ChatChunk,
  type ChatDelta,
  createJsonArrayWriter,
  type Fields,
  type FinishReason,
  formatEvent,
  formatJson,
  type GatewayError,
  keepAliveComment,
  keepAliveSpace,
  type ServerToolCall,
  type Step,
  type ThinkingBlock,
  type ToolCall,
  type ToolCallDelta,
} from '@sluice/contract'
import { assertBounded } from '../../bounded.ts'
import { pieceIn } from '../../chat-chunks.ts'
import { nameUnread } from '../../citations.ts'
import type { FormatContext, StreamWriter } from '../../client-format.ts'
import { ObjectProgress } from '../../object-progress.ts'
import { isServerSent, type Part } from '../generate-content.ts'
import { groundingMetadata } from '../grounding.ts'
import { serverMetadata, serverParts } from '../server-tools.ts'
import { wantsThoughts } from './config.ts'
import { StreamedValues, wantsEnum } from './enum-answer.ts'
import { geminiError } from './error.ts'
import {
  type ClosingParts,
  closingParts,
  finishFields,
  imageParts,
  logprobsResult,
  soundPart,
} from './parts.ts'
import { StreamedUsage } from './streamed-usage.ts'

/** How fragments are written: as server-sent events with `alt=sse`, otherwise as the elements of a JSON array. */
interface Framing {
  readonly contentType: string
  readonly keepAlive: string
  /** `json` is the fragment as JSON. */
  fragment(json: string): string
  end(): string
  passed(): void
}

function serverSent(): Framing {
  return {
    contentType: 'text/event-stream',
    keepAlive: keepAliveComment,
    fragment: (json) => formatEvent({ event: '', data: json }),
    end: () => '',
    passed: () => undefined,
  }
}

function jsonArray(): Framing {
  const writer = createJsonArrayWriter()
  return {
    contentType: 'application/json',
    keepAlive: keepAliveSpace,
    fragment: (json) => writer.element(json),
    end: () => writer.end(),
    passed: () => writer.passed(),
  }
}

type Reports = Pick<FormatContext, 'leftOut'>
type Context = Pick<FormatContext, 'leftOut' | 'expectedInput'>
type ChunkChoice = ChatChunk['choices'][number]

/**
 * Every fragment is a complete GenerateContentResponse whose parts are the new content. Calls are written only when they are
 * complete.
 */
export class ContentWriter implements StreamWriter<'chat'> {
  readonly #framing: Framing
  readonly #reports: Reports
  readonly #thoughts: boolean
  readonly #candidates = new Map<number, Candidate>()
  /** Only if the response is one of the values of an enumeration. */
  readonly #values: StreamedValues | undefined
  #head: { readonly modelVersion: string; readonly responseId: string } | undefined
  readonly #usage: StreamedUsage
  /** The members of the head, which end every fragment; made once. */
  #behind: string | undefined

  constructor(request: unknown, query: string, context: Context) {
    this.#framing = isServerSent(query) ? serverSent() : jsonArray()
    this.#reports = context
    this.#usage = new StreamedUsage(context.expectedInput ?? (() => 0))
    this.#thoughts = wantsThoughts(request)
    this.#values = wantsEnum(request) ? new StreamedValues() : undefined
  }

  get contentType(): string {
    return this.#framing.contentType
  }

  get keepAlive(): string {
    return this.#framing.keepAlive
  }

  write(step: Step<ChatChunk>): string {
    if (!('event' in step)) {
      this.#usage.tell(step.usage)
      return ''
    }
    const { model, id, choices } = this.#values?.read(step.event) ?? step.event
    this.#head ??= { modelVersion: model, responseId: id }
    const piece = this.#values ? undefined : pieceIn(step.event, 'content')
    if (piece !== undefined && this.#candidates.get(0)?.says(piece) === true)
      return this.#framing.fragment(this.#textFragment(piece))
    const candidates = choices.flatMap((choice) => this.#candidatesOf(choice))
    if (candidates.length === 0) return ''
    return this.#fragmentOf({ candidates }, this.#usage.with(lengthOf(choices)))
  }

  /** The finish reasons and the usage come last, together. */
  end(): string {
    const values = this.#values?.rest()
    const candidates = [...this.#candidates].map(([index, candidate]) =>
      candidate.last(index, values?.get(index) ?? '', this.#reports),
    )
    return this.#fragmentOf({ candidates }, this.#usage.last()) + this.#framing.end()
  }

  fail(error: GatewayError): string {
    return this.#framing.fragment(formatJson(geminiError(error, ''))) + this.#framing.end()
  }

  passed(): void {
    this.#framing.passed()
  }

  /** `usage` is JSON. */
  #fragmentOf(fields: Fields, usage: string): string {
    return this.#framing.fragment(`${formatJson(fields).slice(0, -1)},${this.#ending(usage)}`)
  }

  /** A fragment with a piece of the first candidate's text. */
  #textFragment(text: string): string {
    const ending = this.#ending(this.#usage.with(text.length))
    return `{"candidates":[{"content":{"role":"model","parts":[{"text":${JSON.stringify(text)}}]},"index":0}],${ending}`
  }

  #ending(usage: string): string {
    this.#behind ??= this.#head === undefined ? '}' : `,${formatJson(this.#head).slice(1)}`
    return `"usageMetadata":${usage}${this.#behind}`
  }

  #candidatesOf({ index, delta, finish_reason: reason, logprobs }: ChunkChoice): readonly Fields[] {
    const candidate = this.#candidates.get(index) ?? new Candidate()
    this.#candidates.set(index, candidate)
    const parts = candidate.partsOf(delta, this.#thoughts)
    if (reason !== null) parts.push(...candidate.finished(reason))
    const result = logprobsResult(logprobs)
    if (parts.length === 0 && result === undefined) return []
    return [
      {
        content: { role: 'model', parts: parts.length === 0 ? [{ text: '' }] : parts },
        index,
        ...(result === undefined ? {} : { logprobsResult: result }),
      },
    ]
  }
}

/** Of the text in a chunk, in UTF-16 units. */
function lengthOf(choices: readonly ChunkChoice[]): number {
  return choices.reduce(
    (sum, { delta: { content, refusal } }) => sum + (content?.length ?? 0) + (refusal?.length ?? 0),
    0,
  )
}

/** One of the response's candidates, with what must be held back. */
class Candidate {
  readonly #calls = new StreamedCalls()
  readonly #blocks: ThinkingBlock[] = []
  readonly #annotations: Fields[] = []
  readonly #serverCalls: ServerToolCall[] = []
  /** The text so far. Citations refer to positions in it. */
  #text = ''
  #finish: FinishReason | undefined
  #closing: ClosingParts | undefined

  /** Adds a piece of text if nothing has to be written before it. Returns whether it was added. */
  says(text: string): boolean {
    if (this.#calls.areWhole()) return false
    this.#text += text
    return true
  }

  partsOf(delta: ChatDelta, thoughts: boolean): Part[] {
    const text = (delta.content ?? '') + (delta.refusal ?? '')
    const before = text === '' ? [] : this.#callsSoFar()
    const reasoning = thoughts ? (delta.reasoning_content ?? '') : ''
    const sound = delta.audio?.['data']
    this.#text += text
    this.#blocks.push(...(delta.thinking_blocks ?? []))
    this.#annotations.push(...(delta.annotations ?? []))
    assertBounded(this.#annotations.length, 'citations')
    this.#serverCalls.push(...(delta.server_tool_calls ?? []))
    for (const piece of delta.tool_calls ?? []) this.#calls.add(piece)
    return [
      ...before,
      ...(reasoning === '' ? [] : [{ text: reasoning, thought: true }]),
      ...(text === '' ? [] : [{ text }]),
      ...imageParts(delta.images),
      ...serverParts(delta.server_tool_calls ?? []),
      ...(typeof sound === 'string' ? [soundPart(sound)] : []),
    ]
  }

  /** The parts that waited for the end, except the signature of the text. */
  finished(reason: FinishReason): readonly Part[] {
    this.#finish = reason
    this.#closing = this.#closingOf()
    return [...this.#closing.earlier, ...this.#closing.calls]
  }

  /** If no finish reason came before, the parts that waited for one are written here, and a value that did. */
  last(index: number, value: string, reports: Reports): Fields {
    const closing = this.#closing ?? this.#closingOf()
    const signature = closing.textSignature
    nameUnread(this.#annotations, reports)
    const waiting = this.#closing === undefined ? [...closing.earlier, ...closing.calls] : []
    const text = {
      text: value,
      ...(signature === undefined ? {} : { thoughtSignature: signature }),
    }
    const grounding = groundingMetadata(this.#annotations, this.#text)
    return {
      content: { role: 'model', parts: [...waiting, text] },
      ...(this.#finish === undefined ? {} : finishFields(this.#finish, closing.malformed)),
      index,
      ...serverMetadata(this.#serverCalls, grounding, reports),
    }
  }

  #closingOf(): ClosingParts {
    return closingParts(this.#calls.all(), this.#blocks)
  }

  /** The calls that come before a text. If one of them is incomplete, they wait until the end. */
  #callsSoFar(): readonly Part[] {
    if (!this.#calls.areWhole()) return []
    const { earlier, textSignature: signature, calls } = this.#closingOf()
    this.#calls.clear()
    this.#blocks.length = 0
    const signed = signature === undefined ? [] : [{ text: '', thoughtSignature: signature }]
    return [...earlier, ...signed, ...calls]
  }
}

/** The calls of one streamed response, assembled from their pieces. Pieces of several calls may be interleaved. */
class StreamedCalls {
  /** By slot. */
  readonly #calls = new Map<number, ToolCall>()
  readonly #progress = new Map<number, ObjectProgress>()
  /** Slots of incomplete calls. */
  readonly #open = new Set<number>()

  add(piece: ToolCallDelta): void {
    const call = extended(this.#calls.get(piece.index), piece)
    this.#calls.set(piece.index, call)
    if (this.#isWhole(call, piece)) this.#open.delete(piece.index)
    else this.#open.add(piece.index)
  }

  all(): readonly ToolCall[] {
    return [...this.#calls.values()]
  }

  /** False if there are no calls, and for free-form calls, whose end cannot be recognized. */
  areWhole(): boolean {
    return this.#calls.size > 0 && this.#open.size === 0
  }

  clear(): void {
    this.#calls.clear()
    this.#progress.clear()
    this.#open.clear()
  }

  /** Whether a call's arguments are complete JSON. Until then more pieces may come. */
  #isWhole({ function: called, custom }: ToolCall, piece: ToolCallDelta): boolean {
    if (custom !== undefined || called === undefined) return false
    const progress = this.#progress.get(piece.index) ?? new ObjectProgress()
    this.#progress.set(piece.index, progress)
    progress.add(piece.function?.arguments ?? '')
    return progress.isWhole(called.arguments)
  }
}

function extended(known: ToolCall | undefined, piece: ToolCallDelta): ToolCall {
  const extra = piece.extra_content ?? known?.extra_content
  const id = known?.id ?? piece.id ?? ''
  if (piece.custom !== undefined || known?.custom !== undefined) {
    const { name = '', input = '' } = known?.custom ?? {}
    const custom = {
      name: name || (piece.custom?.name ?? ''),
      input: input + (piece.custom?.input ?? ''),
    }
    return { id, type: 'custom', custom }
  }
  return {
    id,
    type: 'function',
    function: {
      name: known?.function?.name || (piece.function?.name ?? ''),
      arguments: (known?.function?.arguments ?? '') + (piece.function?.arguments ?? ''),
    },
    ...(extra == null ? {} : { extra_content: extra }),
  }
}
