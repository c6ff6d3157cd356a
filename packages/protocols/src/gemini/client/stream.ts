import {
  type ChatChunk,
  createJsonArrayWriter,
  type Fields,
  type FinishReason,
  formatEvent,
  formatJson,
  type GatewayError,
  keepAliveComment,
  keepAliveSpace,
  type Step,
  type ThinkingBlock,
  type ToolCall,
  type ToolCallDelta,
  type Usage,
} from '@sluice/contract'
import type { StreamWriter } from '../../protocol.ts'
import { isServerSent, type Part } from '../generate-content.ts'
import { groundingMetadata } from '../grounding.ts'
import { formatUsage } from '../usage.ts'
import { wantsThoughts } from './config.ts'
import { geminiError } from './error.ts'
import { closingParts, finishFields, imageParts, logprobsResult, soundPart } from './parts.ts'
import { asksForSearch } from './tools.ts'

/** How fragments become wire text: server-sent events with `alt=sse`, else the elements of a JSON array. */
interface Framing {
  readonly contentType: string
  readonly keepAlive: string
  fragment(value: unknown): string
  end(): string
  passed(): void
}

function serverSent(): Framing {
  return {
    contentType: 'text/event-stream',
    keepAlive: keepAliveComment,
    fragment: (value) => formatEvent({ event: '', data: formatJson(value) }),
    end: () => '',
    passed: () => undefined,
  }
}

function jsonArray(): Framing {
  const writer = createJsonArrayWriter()
  return {
    contentType: 'application/json',
    keepAlive: keepAliveSpace,
    fragment: (value) => writer.element(formatJson(value)),
    end: () => writer.end(),
    passed: () => writer.passed(),
  }
}

/** Every fragment is a whole GenerateContentResponse whose parts are what is new; calls come whole. */
export function writeContentStream(request: unknown, query: string): StreamWriter<'chat'> {
  return new ContentStreamWriter(request, isServerSent(query) ? serverSent() : jsonArray())
}

type ChunkChoice = ChatChunk['choices'][number]

/** One answer among several, as far as it must be held back. */
interface Candidate {
  readonly index: number
  /** By slot; pieces of several calls may come in turn. */
  readonly calls: Map<number, ToolCall>
  readonly blocks: ThinkingBlock[]
  readonly annotations: Fields[]
  /** The text so far, into which citations point; kept only where a search was asked for. */
  text: string
  finish: FinishReason | undefined
  closing: ReturnType<typeof closingParts> | undefined
}

class ContentStreamWriter implements StreamWriter<'chat'> {
  readonly contentType: string
  readonly keepAlive: string
  readonly #framing: Framing
  readonly #thoughts: boolean
  readonly #citing: boolean
  readonly #candidates = new Map<number, Candidate>()
  #head: { readonly modelVersion: string; readonly responseId: string } | undefined
  #usage: Usage | undefined

  constructor(request: unknown, framing: Framing) {
    this.#framing = framing
    this.#thoughts = wantsThoughts(request)
    this.#citing = asksForSearch(request)
    this.contentType = framing.contentType
    this.keepAlive = framing.keepAlive
  }

  write(step: Step<ChatChunk>): string {
    if (!('event' in step)) {
      this.#usage = step.usage
      return ''
    }
    const { model, id, choices } = step.event
    this.#head ??= { modelVersion: model, responseId: id }
    const candidates = choices.flatMap((choice) => this.#candidate(choice))
    return candidates.length === 0 ? '' : this.#fragment({ candidates })
  }

  /** The finish reasons and what was used come last, together. */
  end(): string {
    const candidates = [...this.#candidates.values()].map(lastCandidate)
    const usage = this.#usage === undefined ? {} : { usageMetadata: formatUsage(this.#usage) }
    return this.#fragment({ candidates, ...usage }) + this.#framing.end()
  }

  fail(error: GatewayError): string {
    return this.#framing.fragment(geminiError(error, '')) + this.#framing.end()
  }

  passed(): void {
    this.#framing.passed()
  }

  #fragment(fields: Fields): string {
    return this.#framing.fragment({ ...fields, ...this.#head })
  }

  #candidate(choice: ChunkChoice): readonly Fields[] {
    const { index, finish_reason: reason } = choice
    const candidate = this.#candidates.get(index) ?? newCandidate(index)
    this.#candidates.set(index, candidate)
    const parts = [...this.#parts(choice, candidate)]
    if (reason !== null) {
      candidate.finish = reason
      candidate.closing = closingParts({
        calls: [...candidate.calls.values()],
        blocks: candidate.blocks,
      })
      parts.push(...candidate.closing.earlier, ...candidate.closing.calls)
    }
    const logprobs = logprobsResult(choice.logprobs)
    if (parts.length === 0 && logprobs === undefined) return []
    return [
      {
        content: { role: 'model', parts: parts.length === 0 ? [{ text: '' }] : parts },
        index,
        ...(logprobs === undefined ? {} : { logprobsResult: logprobs }),
      },
    ]
  }

  #parts({ delta }: ChunkChoice, candidate: Candidate): readonly Part[] {
    const text = (delta.content ?? '') + (delta.refusal ?? '')
    const reasoning = this.#thoughts ? (delta.reasoning_content ?? '') : ''
    const sound = delta.audio?.['data']
    if (this.#citing) candidate.text += text
    candidate.blocks.push(...(delta.thinking_blocks ?? []))
    candidate.annotations.push(...(delta.annotations ?? []))
    for (const piece of delta.tool_calls ?? []) addPiece(candidate.calls, piece)
    return [
      ...(reasoning === '' ? [] : [{ text: reasoning, thought: true }]),
      ...(text === '' ? [] : [{ text }]),
      ...imageParts(delta.images),
      ...(typeof sound === 'string' ? [soundPart(sound)] : []),
    ]
  }
}

function newCandidate(index: number): Candidate {
  return {
    index,
    calls: new Map(),
    blocks: [],
    annotations: [],
    text: '',
    finish: undefined,
    closing: undefined,
  }
}

function addPiece(calls: Map<number, ToolCall>, piece: ToolCallDelta): void {
  const known = calls.get(piece.index)
  const extra = piece.extra_content ?? known?.extra_content
  const id = known?.id ?? piece.id ?? ''
  if (piece.custom !== undefined || known?.custom !== undefined) {
    const { name = '', input = '' } = known?.custom ?? {}
    const custom = {
      name: name || (piece.custom?.name ?? ''),
      input: input + (piece.custom?.input ?? ''),
    }
    calls.set(piece.index, { id, type: 'custom', custom })
    return
  }
  calls.set(piece.index, {
    id,
    type: 'function',
    function: {
      name: known?.function?.name || (piece.function?.name ?? ''),
      arguments: (known?.function?.arguments ?? '') + (piece.function?.arguments ?? ''),
    },
    ...(extra == null ? {} : { extra_content: extra }),
  })
}

function lastCandidate({ index, closing, finish, annotations, text }: Candidate): Fields {
  const signature = closing?.textSignature
  const grounding = groundingMetadata(annotations, text)
  return {
    content: {
      role: 'model',
      parts: [{ text: '', ...(signature === undefined ? {} : { thoughtSignature: signature }) }],
    },
    ...(finish === undefined ? {} : finishFields(finish, closing?.malformed)),
    index,
    ...(grounding === undefined ? {} : { groundingMetadata: grounding }),
  }
}
