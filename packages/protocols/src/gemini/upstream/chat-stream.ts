import {
  type ChatChunk,
  type ChatDelta,
  type Fields,
  isObject,
  type ServerSentEvent,
  type Step,
  someText,
} from '@sluice/contract'
import { assertBounded, boundedList } from '../../bounded.ts'
import { assertCut } from '../../finished.ts'
import type { CodecContext, StreamReader } from '../../protocol.ts'
import { callsAndTexts, type PlacedText, placedTexts } from '../../text-places.ts'
import { BytePlaces } from '../byte-places.ts'
import { finishReasonOf, blockReasonOf } from '../finish-reasons.ts'
import { readAnnotations } from '../grounding.ts'
import { readUsage, ServerToolCounter } from '../usage.ts'
import { ServerTools } from '../server-tools.ts'
import { type CandidateParts, fragmentOf, onlyText, readLogprobs, readParts } from './candidate.ts'
import { FunctionCalls } from './function-calls.ts'

/** One of the choices. */
class Choice {
  readonly index: number
  readonly functions: FunctionCalls
  calls = 0
  reason: string | undefined
  /** The text so far. Citations refer to positions in it. */
  readonly text = new BytePlaces()
  /** The cited sources of all fragments. */
  readonly sources: Fields[] = []
  readonly serverTools: ServerTools
  audioId: string | undefined

  constructor(index: number, newId: CodecContext['newId'], reason?: string) {
    this.index = index
    this.functions = new FunctionCalls(newId)
    this.serverTools = new ServerTools(newId)
    this.reason = reason
  }
}

/** Reads streamGenerateContent: every event is a complete response whose parts are the new content. */
export class ContentReader implements StreamReader<'chat'> {
  readonly #newId: CodecContext['newId']
  readonly #head: Omit<ChatChunk, 'choices'>
  readonly #choices = new Map<number, Choice>()
  readonly #counter = new ServerToolCounter()

  constructor({ newId, now, publicModel }: CodecContext) {
    this.#newId = newId
    this.#head = {
      id: newId('chatcmpl-'),
      object: 'chat.completion.chunk',
      created: Math.floor(now() / 1000),
      model: publicModel,
      system_fingerprint: null,
    }
  }

  read(event: ServerSentEvent): readonly Step<ChatChunk>[] {
    const fragment = fragmentOf(event)
    if (fragment === undefined) return []
    const steps: Step<ChatChunk>[] = []
    this.#counter.add(fragment)
    // It comes before the content that it includes, so that writers can tell it with the first.
    const usage = readUsage(fragment['usageMetadata'])
    if (usage !== undefined) steps.push({ usage: this.#counter.in(usage) })
    const candidates = boundedList(fragment['candidates'], 'candidates').filter(isObject)
    for (const [place, candidate] of candidates.entries())
      this.#readCandidate(candidate, place, steps)
    if (blockReasonOf(fragment) !== undefined && this.#choices.size === 0)
      steps.push(this.#beginChoice(new Choice(0, this.#newId, 'SAFETY')))
    return steps
  }

  /** The finish chunks wait until the end, because some models repeat STOP in every fragment. */
  end(): readonly Step<ChatChunk>[] {
    return [...this.#choices.values()].flatMap((choice) => {
      const { index, reason: word, calls, functions } = choice
      if (word === undefined) return []
      const reason = finishReasonOf(word, calls > 0)
      if (functions.isOpen()) assertCut(reason)
      const rest = choice.serverTools.rest()
      const delta = rest.length === 0 ? {} : { server_tool_calls: [...rest] }
      return [this.#stepOf(index, { delta, finish_reason: reason })]
    })
  }

  #readCandidate(candidate: Fields, place: number, steps: Step<ChatChunk>[]): void {
    const index = typeof candidate['index'] === 'number' ? candidate['index'] : place
    const known = this.#choices.get(index)
    const choice = known ?? new Choice(index, this.#newId)
    if (known === undefined) steps.push(this.#beginChoice(choice))
    choice.reason = someText(candidate['finishReason']) ?? choice.reason
    const text = onlyText(candidate)
    if (text === undefined) return this.#readParts(candidate, choice, steps)
    choice.text.add(text)
    steps.push(this.#stepOf(index, { delta: { content: text }, finish_reason: null }))
  }

  #readParts(candidate: Fields, choice: Choice, steps: Step<ChatChunk>[]): void {
    const parts = readParts(candidate, choice.functions)
    choice.text.add(parts.text)
    if (parts.audio !== undefined) choice.audioId ??= this.#newId('audio_')
    const logprobs = readLogprobs(candidate)
    const deltas = deltasOf(parts, candidate, choice)
    const spoken = deltas.findIndex((delta) => 'content' in delta)
    for (const [at, delta] of deltas.entries())
      steps.push(
        this.#stepOf(choice.index, {
          delta,
          finish_reason: null,
          ...(at === spoken && logprobs !== null ? { logprobs } : {}),
        }),
      )
  }

  #beginChoice(choice: Choice): Step<ChatChunk> {
    this.#choices.set(choice.index, choice)
    assertBounded(this.#choices.size, 'candidates')
    return this.#stepOf(choice.index, {
      delta: { role: 'assistant', content: '' },
      finish_reason: null,
    })
  }

  #stepOf(index: number, choice: Omit<ChatChunk['choices'][number], 'index'>): Step<ChatChunk> {
    return { event: { ...this.#head, choices: [{ index, logprobs: null, ...choice }] } }
  }
}

function deltasOf(parts: CandidateParts, candidate: Fields, choice: Choice): readonly ChatDelta[] {
  const { text, textPlaces, reasoning, calls, blocks, images, audio } = parts
  const texts = placedTexts({ content: text, ...textPlaces.told() })
  const annotations = readAnnotations(candidate, choice.text, choice.sources)
  const serverCalls = [...choice.serverTools.read(candidate), ...parts.unread]
  return [
    ...(reasoning === '' ? [] : [{ reasoning_content: reasoning }]),
    ...texts.filter((one) => one.calls === 0).map(contentDelta),
    ...(blocks.length === 0 ? [] : [{ thinking_blocks: [...blocks] }]),
    ...callsAndTexts(callDeltas(calls, choice), texts, (one) => [contentDelta(one)]).flat(),
    ...(images.length === 0 ? [] : [{ images }]),
    ...(audio === undefined ? [] : [{ audio: { id: choice.audioId, data: audio.base64 } }]),
    ...(annotations.length === 0 ? [] : [{ annotations: [...annotations] }]),
    ...(serverCalls.length === 0 ? [] : [{ server_tool_calls: serverCalls }]),
  ]
}

/** Calls arrive complete, so one delta holds a call's id, name and all its arguments. */
function callDeltas(
  calls: CandidateParts['calls'],
  choice: Choice,
): readonly (readonly ChatDelta[])[] {
  return calls.map((call) => [{ tool_calls: [{ index: choice.calls++, ...call }] }])
}

function contentDelta({ text }: PlacedText): ChatDelta {
  return { content: text }
}
