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
import { finishReasonOf } from '../finish-reasons.ts'
import { readAnnotations } from '../grounding.ts'
import { ServerToolCounter } from '../content-usage.ts'
import { ServerTools } from '../server-tools.ts'
import { readUsage } from '../usage.ts'
import { type CandidateParts, readLogprobs, readParts } from './candidate.ts'
import { blockReasonOf } from './chat-reply.ts'
import { createFunctionCalls, type FunctionCalls } from './function-calls.ts'
import { fragmentOf } from './watcher.ts'

/** The state of one of the choices. */
interface Choice {
  readonly index: number
  readonly functions: FunctionCalls
  calls: number
  reason: string | undefined
  /** The text so far. Citations refer to positions in it. */
  readonly text: BytePlaces
  /** The cited sources of all fragments. */
  readonly sources: Fields[]
  readonly serverTools: ServerTools
  audioId: string | undefined
}

function newChoice({ context }: Pick<Reading, 'context'>, index: number, reason?: string): Choice {
  const functions = createFunctionCalls(context.newId)
  return {
    index,
    functions,
    calls: 0,
    reason,
    text: new BytePlaces(),
    sources: [],
    serverTools: new ServerTools(context.newId),
    audioId: undefined,
  }
}

/** The state of one stream being read. */
interface Reading {
  readonly context: CodecContext
  readonly head: Omit<ChatChunk, 'choices'>
  readonly choices: Map<number, Choice>
  readonly counter: ServerToolCounter
}

/** Reads streamGenerateContent: every event is a complete response whose parts are the new content. */
export function createChatReader(context: CodecContext): StreamReader<'chat'> {
  const reading: Reading = {
    context,
    head: {
      id: context.newId('chatcmpl-'),
      object: 'chat.completion.chunk',
      created: Math.floor(context.now() / 1000),
      model: context.publicModel,
      system_fingerprint: null,
    },
    choices: new Map(),
    counter: new ServerToolCounter(),
  }
  return { read: (event) => read(reading, event), end: () => end(reading) }
}

function read(reading: Reading, event: ServerSentEvent): readonly Step<ChatChunk>[] {
  const fragment = fragmentOf(event)
  if (fragment === undefined) return []
  const steps = boundedList(fragment['candidates'], 'candidates')
    .filter(isObject)
    .flatMap((candidate, place) => candidateSteps(reading, candidate, place))
  if (blockReasonOf(fragment) !== undefined && reading.choices.size === 0)
    steps.push(...beginChoice(reading, newChoice(reading, 0, 'SAFETY')))
  reading.counter.add(fragment)
  const usage = readUsage(fragment['usageMetadata'])
  return usage === undefined ? steps : [...steps, { usage: reading.counter.in(usage) }]
}

/** The finish chunks wait until the end, because some models repeat STOP in every fragment. */
function end(reading: Reading): readonly Step<ChatChunk>[] {
  return [...reading.choices.values()].flatMap((choice) => {
    const { index, reason: word, calls, functions } = choice
    if (word === undefined) return []
    const reason = finishReasonOf(word, calls > 0)
    if (functions.isOpen()) assertCut(reason)
    const rest = choice.serverTools.rest()
    const delta = rest.length === 0 ? {} : { server_tool_calls: [...rest] }
    return [stepOf(reading, index, { delta, finish_reason: reason })]
  })
}

function candidateSteps(reading: Reading, candidate: Fields, place: number): Step<ChatChunk>[] {
  const index = typeof candidate['index'] === 'number' ? candidate['index'] : place
  const known = reading.choices.get(index)
  const choice = known ?? newChoice(reading, index)
  const steps = known === undefined ? [...beginChoice(reading, choice)] : []
  const parts = readParts(candidate, choice.functions)
  choice.text.add(parts.text)
  if (parts.audio !== undefined) choice.audioId ??= reading.context.newId('audio_')
  const logprobs = readLogprobs(candidate)
  const deltas = deltasOf(parts, candidate, choice)
  const spoken = deltas.findIndex((delta) => 'content' in delta)
  for (const [at, delta] of deltas.entries())
    steps.push(
      stepOf(reading, index, {
        delta,
        finish_reason: null,
        ...(at === spoken && logprobs !== null ? { logprobs } : {}),
      }),
    )
  choice.reason = someText(candidate['finishReason']) ?? choice.reason
  return steps
}

function beginChoice(reading: Reading, choice: Choice): readonly Step<ChatChunk>[] {
  reading.choices.set(choice.index, choice)
  assertBounded(reading.choices.size, 'candidates')
  return [
    stepOf(reading, choice.index, {
      delta: { role: 'assistant', content: '' },
      finish_reason: null,
    }),
  ]
}

function stepOf(
  reading: Reading,
  index: number,
  choice: Omit<ChatChunk['choices'][number], 'index'>,
): Step<ChatChunk> {
  return { event: { ...reading.head, choices: [{ index, logprobs: null, ...choice }] } }
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
