import {
  type ChatChunk,
  type ChatDelta,
  type Fields,
  isObject,
  listOf,
  objectOf,
  type ServerSentEvent,
  type Step,
  textOf,
  type ToolCallDelta,
} from '@sluice/contract'
import { type ChatChunks, createChatChunks } from '../../chat-chunks.ts'
import { logprobsOf } from '../../openai/upstream/logprobs.ts'
import type { CodecContext, StreamReader } from '../../protocol.ts'
import { eventObject } from '../../read-json.ts'
import { readUsage } from '../../usage.ts'
import { finishOf, messageGap } from './chat-reply.ts'
import { annotationsOf, callOf, imageOf, reasoningBlock, reasoningText } from './output-items.ts'
import { typeOf } from './watcher.ts'

type ChatStep = Step<ChatChunk>

/** An output item under way. Items are told apart by `output_index`: some proxies change their ids between events. */
interface Item {
  /** Characters of text, arguments or reasoning told so far. */
  told: number
  /** Characters of a refusal told so far. */
  refused: number
  /** The slot of a call. */
  slot?: number
  /** Where this item's text begins in the answer. */
  offset?: number
  done: boolean
}

/** Reads the events of a response into chat chunks. */
export function readResponseStream(context: CodecContext): StreamReader<'chat'> {
  return new ResponseStreamReader(context)
}

class ResponseStreamReader implements StreamReader<'chat'> {
  readonly #chunks: ChatChunks
  readonly #items = new Map<unknown, Item>()
  #calls = 0
  #text = 0
  #reasoned = false

  constructor(context: CodecContext) {
    this.#chunks = createChatChunks(context)
  }

  read(event: ServerSentEvent): readonly ChatStep[] {
    const data = eventObject(event)
    return data === undefined ? [] : this.#readEvent(typeOf(event, data), data)
  }

  end(): readonly ChatStep[] {
    return []
  }

  #readEvent(type: string, data: Fields): readonly ChatStep[] {
    const item = this.#itemAt(data['output_index'])
    const delta = textOf(data['delta'])
    switch (type) {
      case 'response.output_item.added':
        return this.#added(objectOf(data['item']), item)
      case 'response.output_text.delta':
        return this.#tellText(delta, item, data['logprobs'])
      case 'response.refusal.delta':
        return this.#tellRefusal(delta, item)
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return this.#tellReasoning(delta, item)
      case 'response.reasoning_summary_part.added':
        return item.told === 0 ? [] : this.#tellReasoning(messageGap, item)
      case 'response.function_call_arguments.delta':
        return this.#tellCall(item, { function: { arguments: delta } }, delta.length)
      case 'response.custom_tool_call_input.delta':
        return this.#tellCall(item, { custom: { input: delta } }, delta.length)
      case 'response.output_text.annotation.added':
        return this.#annotate([data['annotation']], item)
      case 'response.output_item.done':
        return this.#done(objectOf(data['item']), item)
      case 'response.completed':
      case 'response.incomplete':
      case 'response.done':
        return this.#finish(objectOf(data['response']))
      default:
        return []
    }
  }

  #itemAt(index: unknown): Item {
    const known = this.#items.get(index)
    if (known !== undefined) return known
    const item: Item = { told: 0, refused: 0, done: false }
    if (index !== undefined) this.#items.set(index, item)
    return item
  }

  #tell(delta: ChatDelta): readonly ChatStep[] {
    return this.#chunks.delta(delta)
  }

  /** A call begins; other items are told from their pieces. */
  #added(wire: Fields, item: Item): readonly ChatStep[] {
    const call = callOf(wire)
    if (call === undefined || item.slot !== undefined) return []
    item.slot = this.#calls++
    item.told = (call.function?.arguments ?? call.custom?.input ?? '').length
    return this.#tell({ tool_calls: [{ index: item.slot, ...call }] })
  }

  #tellText(text: string, item: Item, logprobs?: unknown): readonly ChatStep[] {
    if (text === '') return []
    const gap = item.offset === undefined && this.#text > 0 ? messageGap : ''
    item.offset ??= this.#text + gap.length
    item.told += text.length
    this.#text += gap.length + text.length
    const known = listOf(logprobs)
    const steps = this.#tell({ content: gap + text })
    if (known.length === 0) return steps
    return steps.map((step, at) =>
      at === steps.length - 1 ? withLogprobs(step, { content: known, refusal: null }) : step,
    )
  }

  #tellReasoning(text: string, item: Item): readonly ChatStep[] {
    if (text === '') return []
    const gap = item.told === 0 && this.#reasoned ? messageGap : ''
    item.told += text.length
    this.#reasoned = true
    return this.#tell({ reasoning_content: gap + text })
  }

  #tellCall(
    item: Item,
    piece: Omit<ToolCallDelta, 'index'>,
    characters: number,
  ): readonly ChatStep[] {
    if (item.slot === undefined || characters === 0) return []
    item.told += characters
    return this.#tell({ tool_calls: [{ index: item.slot, ...piece }] })
  }

  #annotate(annotations: unknown, item: Item): readonly ChatStep[] {
    const wrapped = annotationsOf(annotations, item.offset ?? 0)
    return wrapped.length === 0 ? [] : this.#tell({ annotations: wrapped })
  }

  #tellRefusal(refusal: string, item: Item): readonly ChatStep[] {
    item.refused += refusal.length
    return refusal === '' ? [] : this.#tell({ refusal })
  }

  /** The whole item: what its pieces did not tell is told now, for upstreams that send few pieces or none. */
  #done(wire: Fields, item: Item): readonly ChatStep[] {
    if (item.done) return []
    item.done = true
    switch (wire['type']) {
      case 'message':
        return this.#restOfMessage(wire, item)
      case 'reasoning':
        return this.#restOfReasoning(wire, item)
      case 'image_generation_call':
        return imageOf(wire).length === 0 ? [] : this.#tell({ images: imageOf(wire) })
      default:
        return this.#restOfCall(wire, item)
    }
  }

  #restOfMessage(wire: Fields, item: Item): readonly ChatStep[] {
    const parts = listOf(wire['content']).filter(isObject)
    const text = parts.map((part) => textOf(part['text'])).join('')
    const refusal = parts.map((part) => textOf(part['refusal'])).join('')
    const silent = item.told === 0
    const told = this.#tellText(text.slice(item.told), item, silent ? logprobsIn(parts) : undefined)
    const cited = silent ? parts.flatMap(({ annotations }) => listOf(annotations)) : []
    return [
      ...told,
      ...this.#annotate(cited, item),
      ...this.#tellRefusal(refusal.slice(item.refused), item),
    ]
  }

  #restOfReasoning(wire: Fields, item: Item): readonly ChatStep[] {
    const text = this.#tellReasoning(reasoningText(wire).slice(item.told), item)
    const block = reasoningBlock(wire)
    return block === undefined ? text : [...text, ...this.#tell({ thinking_blocks: [block] })]
  }

  #restOfCall(wire: Fields, item: Item): readonly ChatStep[] {
    if (item.slot === undefined) return this.#added(wire, item)
    const { custom, function: named } = callOf(wire) ?? {}
    const rest = (custom?.input ?? named?.arguments ?? '').slice(item.told)
    const piece = custom ? { custom: { input: rest } } : { function: { arguments: rest } }
    return this.#tellCall(item, piece, rest.length)
  }

  #finish(response: Fields): readonly ChatStep[] {
    const steps: ChatStep[] = []
    if (this.#items.size === 0)
      for (const [index, wire] of listOf(response['output']).entries())
        if (isObject(wire)) steps.push(...this.#done(wire, this.#itemAt(index)))
    steps.push(...this.#chunks.finish(finishOf(response, this.#calls > 0)))
    const usage = readUsage(response['usage'])
    if (usage !== undefined) steps.push({ usage })
    return steps
  }
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
