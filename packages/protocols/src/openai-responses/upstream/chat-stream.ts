import {
  type ChatChunk,
  type Fields,
  type FinishReason,
  isObject,
  listOf,
  objectOf,
  type Step,
  type ToolCallDelta,
  textOf,
} from '@sluice/contract'
import { type ChatChunks, createChatChunks } from '../../chat-chunks.ts'
import { assertCut } from '../../finished.ts'
import { logprobsOf } from '../../openai/upstream/content.ts'
import type { CodecContext, StreamReader } from '../../protocol.ts'
import { eventObject } from '../../read-json.ts'
import {
  annotationsOf,
  callOf,
  finishOf,
  imageOf,
  isText,
  messageGap,
  reasoningBlock,
  reasoningText,
  typeOf,
  unreadParts,
} from './output-items.ts'
import { responseUsage } from './response-usage.ts'
import { serverCallOf } from './server-items.ts'

type ChatStep = Step<ChatChunk>

/**
 * An output item in progress. Items are identified by `output_index`, since some proxies change their ids between events, or
 * by their id if a server leaves the index out.
 */
interface Item {
  /** Characters of text, arguments or reasoning sent so far. */
  told: number
  /** Characters of text per content part. */
  readonly parts: Map<unknown, number>
  /** Characters of a refusal sent so far. */
  refused: number
  /** The slot of a call. */
  slot?: number
  /** Where this item's text begins in the response. */
  offset?: number
  done: boolean
}

/** The state of one stream being read: `calls` counts the calls that began, `text` the characters of text. */
interface Reading {
  readonly chunks: ChatChunks
  readonly items: Map<unknown, Item>
  calls: number
  text: number
  reasoned: boolean
}

/** Reads the events of a response into chat completion chunks. */
export function createChatReader(context: CodecContext): StreamReader<'chat'> {
  const reading: Reading = {
    chunks: createChatChunks(context),
    items: new Map(),
    calls: 0,
    text: 0,
    reasoned: false,
  }
  return {
    read(event) {
      const data = eventObject(event)
      return data === undefined ? [] : readEvent(reading, typeOf(event, data), data)
    },
    end: () => [],
  }
}

function readEvent(reading: Reading, type: string, data: Fields): readonly ChatStep[] {
  const item = itemAt(
    reading,
    data['output_index'] ?? data['item_id'] ?? objectOf(data['item'])['id'],
  )
  const delta = textOf(data['delta'])
  switch (type) {
    case 'response.output_item.added':
      return added(reading, objectOf(data['item']), item)
    case 'response.output_text.delta':
      return tellPart(reading, data, { item, text: delta })
    case 'response.output_text.done':
      return tellPart(reading, data, { item, text: restOfPart(data, item) })
    case 'response.refusal.delta':
      return tellRefusal(reading, delta, item)
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return tellReasoning(reading, delta, item)
    case 'response.reasoning_summary_part.added':
      return item.told === 0 ? [] : tellReasoning(reading, messageGap, item)
    case 'response.function_call_arguments.delta':
      return tellCall(reading, item, { function: { arguments: delta } }, delta.length)
    // Some servers send all of it only here.
    case 'response.function_call_arguments.done': {
      const rest = textOf(data['arguments']).slice(item.told)
      return tellCall(reading, item, { function: { arguments: rest } }, rest.length)
    }
    case 'response.custom_tool_call_input.done': {
      const rest = textOf(data['input']).slice(item.told)
      return tellCall(reading, item, { custom: { input: rest } }, rest.length)
    }
    case 'response.custom_tool_call_input.delta':
      return tellCall(reading, item, { custom: { input: delta } }, delta.length)
    case 'response.output_text.annotation.added':
      return annotate(reading, [data['annotation']], item)
    case 'response.output_item.done':
      return done(reading, objectOf(data['item']), item)
    case 'response.completed':
    case 'response.incomplete':
    case 'response.done':
      return finish(reading, objectOf(data['response']))
    default:
      return []
  }
}

function itemAt(reading: Reading, index: unknown): Item {
  const known = reading.items.get(index)
  if (known !== undefined) return known
  const item: Item = { told: 0, parts: new Map(), refused: 0, done: false }
  if (index !== undefined) reading.items.set(index, item)
  return item
}

/** A call begins. Other items are sent when their pieces arrive. */
function added(reading: Reading, wire: Fields, item: Item): readonly ChatStep[] {
  const call = callOf(wire)
  if (call === undefined || item.slot !== undefined) return []
  item.slot = reading.calls++
  item.told = (call.function?.arguments ?? call.custom?.input ?? '').length
  return reading.chunks.delta({ tool_calls: [{ index: item.slot, ...call }] })
}

function tellText(
  reading: Reading,
  text: string,
  item: Item,
  logprobs?: unknown,
): readonly ChatStep[] {
  if (text === '') return []
  const gap = item.offset === undefined && reading.text > 0 ? messageGap : ''
  item.offset ??= reading.text + gap.length
  item.told += text.length
  reading.text += gap.length + text.length
  const known = listOf(logprobs)
  const steps = reading.chunks.delta({ content: gap + text })
  if (known.length === 0) return steps
  return steps.map((step, at) =>
    at === steps.length - 1 ? withLogprobs(step, { content: known, refusal: null }) : step,
  )
}

/** A piece of a content part. */
function tellPart(
  reading: Reading,
  data: Fields,
  { item, text }: { readonly item: Item; readonly text: string },
): readonly ChatStep[] {
  const place = data['content_index']
  item.parts.set(place, (item.parts.get(place) ?? 0) + text.length)
  return tellText(reading, text, item, data['logprobs'])
}

function restOfPart(data: Fields, item: Item): string {
  return textOf(data['text']).slice(item.parts.get(data['content_index']) ?? 0)
}

function tellReasoning(reading: Reading, text: string, item: Item): readonly ChatStep[] {
  if (text === '') return []
  const gap = item.told === 0 && reading.reasoned ? messageGap : ''
  item.told += text.length
  reading.reasoned = true
  return reading.chunks.delta({ reasoning_content: gap + text })
}

function tellCall(
  reading: Reading,
  item: Item,
  piece: Omit<ToolCallDelta, 'index'>,
  characters: number,
): readonly ChatStep[] {
  if (item.slot === undefined || characters === 0) return []
  item.told += characters
  return reading.chunks.delta({ tool_calls: [{ index: item.slot, ...piece }] })
}

function annotate(reading: Reading, annotations: unknown, item: Item): readonly ChatStep[] {
  const wrapped = annotationsOf(annotations, item.offset ?? 0)
  return wrapped.length === 0 ? [] : reading.chunks.delta({ annotations: wrapped })
}

function tellRefusal(reading: Reading, refusal: string, item: Item): readonly ChatStep[] {
  item.refused += refusal.length
  return refusal === '' ? [] : reading.chunks.delta({ refusal })
}

/** The complete item. What its pieces did not contain is sent now, for upstreams that send few pieces or none. */
function done(reading: Reading, wire: Fields, item: Item): readonly ChatStep[] {
  if (item.done) return []
  item.done = true
  switch (wire['type']) {
    case 'message':
      return restOfMessage(reading, wire, item)
    case 'reasoning':
      return restOfReasoning(reading, wire, item)
    case 'image_generation_call':
      return imageOf(wire).length === 0 ? [] : reading.chunks.delta({ images: imageOf(wire) })
    default: {
      const call = serverCallOf(wire)
      if (call !== undefined) return reading.chunks.delta({ server_tool_calls: [call] })
      return restOfCall(reading, wire, item)
    }
  }
}

function restOfMessage(reading: Reading, wire: Fields, item: Item): readonly ChatStep[] {
  const parts = listOf(wire['content']).filter(isObject)
  const text = parts.map((part) => (isText(part) ? textOf(part['text']) : '')).join('')
  const refusal = parts.map((part) => textOf(part['refusal'])).join('')
  const silent = item.told === 0
  const unread = unreadParts(parts)
  const steps = tellText(
    reading,
    text.slice(item.told),
    item,
    silent ? logprobsIn(parts) : undefined,
  )
  const cited = silent ? parts.flatMap(({ annotations }) => listOf(annotations)) : []
  return [
    ...steps,
    ...annotate(reading, cited, item),
    ...tellRefusal(reading, refusal.slice(item.refused), item),
    ...(unread.length === 0 ? [] : reading.chunks.delta({ server_tool_calls: [...unread] })),
  ]
}

function restOfReasoning(reading: Reading, wire: Fields, item: Item): readonly ChatStep[] {
  const text = tellReasoning(reading, reasoningText(wire).slice(item.told), item)
  const block = reasoningBlock(wire)
  return block === undefined
    ? text
    : [...text, ...reading.chunks.delta({ thinking_blocks: [block] })]
}

function restOfCall(reading: Reading, wire: Fields, item: Item): readonly ChatStep[] {
  if (item.slot === undefined) return added(reading, wire, item)
  const { custom, function: named } = callOf(wire) ?? {}
  const rest = (custom?.input ?? named?.arguments ?? '').slice(item.told)
  const piece = custom ? { custom: { input: rest } } : { function: { arguments: rest } }
  return tellCall(reading, item, piece, rest.length)
}

function finish(reading: Reading, response: Fields): readonly ChatStep[] {
  const steps: ChatStep[] = []
  if (reading.items.size === 0)
    for (const [index, wire] of listOf(response['output']).entries())
      if (isObject(wire)) steps.push(...done(reading, wire, itemAt(reading, index)))
  const reason = finishOf(response, reading.calls > 0)
  for (const [index, item] of reading.items)
    if (item.slot !== undefined && !item.done)
      steps.push(...restOfOpenCall(reading, { item, reason, wire: wireAt(response, index) }))
  steps.push(...reading.chunks.finish(reason))
  const usage = responseUsage(response)
  if (usage !== undefined) steps.push({ usage })
  return steps
}

function wireAt(response: Fields, place: unknown): Fields {
  const output = listOf(response['output'])
  if (typeof place === 'number') return objectOf(output[place])
  return output.map(objectOf).find(({ id }) => id === place) ?? {}
}

/** A call whose end was not announced is complete in the final response; otherwise the response was cut within it. */
function restOfOpenCall(
  reading: Reading,
  {
    item,
    reason,
    wire,
  }: { readonly item: Item; readonly reason: FinishReason; readonly wire: Fields },
): readonly ChatStep[] {
  if (callOf(wire) !== undefined && wire['status'] !== 'incomplete')
    return done(reading, wire, item)
  assertCut(reason)
  return []
}

function logprobsIn(parts: readonly Fields[]): readonly unknown[] {
  return parts.flatMap(({ logprobs }) => listOf(logprobs))
}

function withLogprobs(step: ChatStep, value: unknown): ChatStep {
  if (!('event' in step)) return step
  const logprobs = logprobsOf(value)
  const choices = step.event.choices.map((choice) => ({ ...choice, logprobs }))
  return { event: { ...step.event, choices } }
}
