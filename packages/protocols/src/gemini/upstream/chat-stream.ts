import {
  type ChatChunk,
  type ChatDelta,
  type ChatRequest,
  type Fields,
  type FinishReason,
  isObject,
  listOf,
  type ServerSentEvent,
  someText,
  type Step,
} from '@sluice/contract'
import { usesFunctions } from '../../legacy-functions.ts'
import type { CodecContext, StreamReader } from '../../protocol.ts'
import { finishReasonOf } from '../finish-reasons.ts'
import { readAnnotations } from '../grounding.ts'
import { readUsage } from '../usage.ts'
import { type CandidateParts, readLogprobs, readParts } from './candidate.ts'
import { blockReasonOf, onlyFunction } from './chat-reply.ts'
import { fragmentOf } from './watcher.ts'

/** Reads streamGenerateContent: every event is a whole response whose parts are what is new. */
export function readChatStream(context: CodecContext, request: ChatRequest): StreamReader<'chat'> {
  return new ChatStreamReader(context, request)
}

/** One answer among several. */
interface Choice {
  readonly index: number
  calls: number
  reason: string | undefined
  /** The text so far, where citations may point into it. */
  text: string
  audioId: string | undefined
}

function newChoice(index: number, reason?: string): Choice {
  return { index, calls: 0, reason, text: '', audioId: undefined }
}

class ChatStreamReader implements StreamReader<'chat'> {
  readonly #context: CodecContext
  readonly #head: Omit<ChatChunk, 'choices'>
  readonly #citing: boolean
  readonly #legacy: boolean
  readonly #choices = new Map<number, Choice>()

  constructor(context: CodecContext, request: ChatRequest) {
    this.#context = context
    this.#legacy = usesFunctions(request)
    this.#citing = request.web_search_options != null
    this.#head = {
      id: context.newId('chatcmpl-'),
      object: 'chat.completion.chunk',
      created: Math.floor(context.now() / 1000),
      model: context.publicModel,
      system_fingerprint: null,
    }
  }

  read(event: ServerSentEvent): readonly Step<ChatChunk>[] {
    const fragment = fragmentOf(event)
    if (fragment === undefined) return []
    const steps = listOf(fragment['candidates'])
      .filter(isObject)
      .flatMap((candidate, place) => this.#candidate(candidate, place))
    if (blockReasonOf(fragment) !== undefined && this.#choices.size === 0)
      steps.push(...this.#begin(newChoice(0, 'SAFETY')))
    const usage = readUsage(fragment['usageMetadata'])
    return usage === undefined ? steps : [...steps, { usage }]
  }

  /** The finish chunks wait until here, because some models repeat STOP in every fragment. */
  end(): readonly Step<ChatChunk>[] {
    return [...this.#choices.values()].flatMap(({ index, reason, calls }) =>
      reason === undefined
        ? []
        : [this.#step(index, { delta: {}, finish_reason: this.#finish(reason, calls) })],
    )
  }

  #finish(word: string, calls: number): FinishReason {
    const reason = finishReasonOf(word, calls > 0)
    return reason === 'tool_calls' && this.#legacy ? 'function_call' : reason
  }

  #candidate(candidate: Fields, place: number): Step<ChatChunk>[] {
    const index = typeof candidate['index'] === 'number' ? candidate['index'] : place
    const known = this.#choices.get(index)
    const choice = known ?? newChoice(index)
    const steps = known === undefined ? [...this.#begin(choice)] : []
    const parts = readParts(candidate, this.#context.newId)
    if (this.#citing) choice.text += parts.text
    if (parts.audio !== undefined) choice.audioId ??= this.#context.newId('audio_')
    const logprobs = readLogprobs(candidate)
    for (const delta of this.#deltas(parts, candidate, choice))
      steps.push(
        this.#step(index, {
          delta,
          finish_reason: null,
          ...('content' in delta && logprobs !== null ? { logprobs } : {}),
        }),
      )
    choice.reason = someText(candidate['finishReason']) ?? choice.reason
    return steps
  }

  #begin(choice: Choice): readonly Step<ChatChunk>[] {
    this.#choices.set(choice.index, choice)
    return [
      this.#step(choice.index, { delta: { role: 'assistant', content: '' }, finish_reason: null }),
    ]
  }

  #step(index: number, choice: Omit<ChatChunk['choices'][number], 'index'>): Step<ChatChunk> {
    return { event: { ...this.#head, choices: [{ index, logprobs: null, ...choice }] } }
  }

  #deltas(parts: CandidateParts, candidate: Fields, choice: Choice): readonly ChatDelta[] {
    const { text, reasoning, calls, blocks, images, audio } = parts
    const annotations = readAnnotations(candidate, choice.text)
    return [
      ...(reasoning === '' ? [] : [{ reasoning_content: reasoning }]),
      ...(text === '' ? [] : [{ content: text }]),
      ...(blocks.length === 0 ? [] : [{ thinking_blocks: [...blocks] }]),
      ...(calls.length === 0 ? [] : this.#calls(calls, choice)),
      ...(images.length === 0 ? [] : [{ images }]),
      ...(audio === undefined ? [] : [{ audio: { id: choice.audioId, data: audio.base64 } }]),
      ...(annotations.length === 0 ? [] : [{ annotations: [...annotations] }]),
    ]
  }

  /** Calls come whole, so one delta holds a call's id, name and all its arguments. */
  #calls(calls: CandidateParts['calls'], choice: Choice): readonly ChatDelta[] {
    const first = choice.calls
    choice.calls += calls.length
    if (!this.#legacy)
      return calls.map((call, index) => ({ tool_calls: [{ index: first + index, ...call }] }))
    return [{ function_call: onlyFunction(first === 0 ? calls : []) }]
  }
}
