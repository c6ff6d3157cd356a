import type {
  ChatDelta,
  ChoiceLogprobs,
  Fields,
  ServerToolCall,
  ThinkingBlock,
  ToolCallDelta,
} from '@sluice/contract'
import { callSignature } from '../../call-signature.ts'
import { statedId } from '../../call-state.ts'
import {
  asksForEncrypted,
  hasWords,
  plainReasoningItem,
  reasoningItem,
  signatureItem,
} from './reasoning.ts'
import { callItem, flatAnnotation, imageItem, messageItem, namedItem } from './reply.ts'
import type { OutputItem } from './schema.ts'
import { serverItems } from './server-items.ts'
import { createStreamedMessage, type StreamedMessage, type Teller } from './streamed-message.ts'

interface OpenReasoning {
  readonly id: string
  readonly index: number
  text: string
}

interface OpenCall {
  readonly itemId: string
  readonly callId: string
  readonly index: number
  readonly custom: boolean
  readonly name: string
  text: string
}

interface Output {
  readonly teller: Teller
  /** By output index. An item is put here when it is done. */
  readonly done: (OutputItem | undefined)[]
  readonly calls: Map<number, OpenCall>
  reasoning: OpenReasoning | undefined
  message: StreamedMessage | undefined
  /** Whether reasoning is shown: the caller asked for it, or the model's words are among it. */
  isShown: boolean
  /** Reasoning before the first words, which otherwise is in the id of the next call. */
  readonly carried: ThinkingBlock[]
}

/**
 * The output items of one streamed response. Reasoning ends when its block is complete or something else begins, and the
 * message ends when a call begins. Calls stay open until the end or until a later thought, because pieces of parallel calls
 * may be interleaved.
 */
export interface StreamedOutput {
  /** The finished items in order. */
  items(): readonly OutputItem[]
  add(delta: ChatDelta, logprobs: ChoiceLogprobs | null): void
  /**
   * Closes everything that is open. `status` is the status of the message and the calls; it is `incomplete` if the response
   * was cut at its limit.
   */
  close(status: 'completed' | 'incomplete'): void
}

export function createStreamedOutput(teller: Teller): StreamedOutput {
  const output: Output = {
    teller,
    done: [],
    calls: new Map(),
    reasoning: undefined,
    message: undefined,
    isShown: asksForEncrypted(teller.request),
    carried: [],
  }
  return {
    items: () => output.done.filter((item) => item !== undefined),
    add: (delta, logprobs) => addDelta(output, delta, logprobs),
    close: (status) => closeAll(output, status),
  }
}

function addDelta(output: Output, delta: ChatDelta, logprobs: ChoiceLogprobs | null): void {
  if (delta.reasoning_content) addReasoning(output, delta.reasoning_content)
  for (const block of delta.thinking_blocks ?? []) addBlock(output, block)
  if (delta.content) openMessage(output).addText(delta.content, logprobs)
  if (delta.refusal) openMessage(output).addRefusal(delta.refusal)
  for (const annotation of delta.annotations ?? [])
    openMessage(output).annotate(flatAnnotation(annotation, output.teller))
  for (const { image_url: image } of delta.images ?? []) addImage(output, image.url)
  for (const call of delta.server_tool_calls ?? []) addServerCall(output, call)
  for (const call of delta.tool_calls ?? []) addCall(output, call)
}

function closeAll(output: Output, status: 'completed' | 'incomplete'): void {
  closeReasoning(output)
  closeMessage(output, status)
  for (const call of output.calls.values()) closeCall(output, call, status)
  output.calls.clear()
}

function beginItem(output: Output, item: OutputItem): number {
  const index = output.done.push(undefined) - 1
  const shown = namedItem(item, output.teller.names)
  output.teller.tell('response.output_item.added', { output_index: index, item: shown })
  return index
}

function finishItem(output: Output, index: number, item: OutputItem): void {
  const shown = namedItem(item, output.teller.names)
  output.done[index] = shown
  output.teller.tell('response.output_item.done', { output_index: index, item: shown })
}

function show(output: Output): void {
  if (output.isShown) return
  output.isShown = true
  for (const block of output.carried.splice(0)) addBlock(output, block)
}

function addReasoning(output: Output, text: string): void {
  show(output)
  const open = output.reasoning ?? openReasoning(output)
  const place = { item_id: open.id, output_index: open.index, summary_index: 0 }
  if (open.text === '')
    output.teller.tell('response.reasoning_summary_part.added', {
      ...place,
      part: { type: 'summary_text', text: '' },
    })
  open.text += text
  output.teller.tell('response.reasoning_summary_text.delta', { ...place, delta: text })
}

function openReasoning(output: Output): OpenReasoning {
  const id = output.teller.itemId('rs_')
  closeMessage(output, 'completed')
  const index = beginItem(output, { id, type: 'reasoning', summary: [] })
  output.reasoning = { id, index, text: '' }
  return output.reasoning
}

/**
 * A complete block ends the reasoning that it belongs to. If none of its text was sent before, it becomes an item of its own.
 */
function addBlock(output: Output, block: ThinkingBlock): void {
  if (hasWords(block)) show(output)
  if (!output.isShown) {
    output.carried.push(block)
    return
  }
  // Gemini signs a text after it was sent; the message continues.
  if (output.reasoning === undefined && output.message !== undefined && block.type === 'thought')
    return addWhole(output, reasoningItem(block, output.teller.itemId('rs_')))
  const { text, id } = output.reasoning ?? openReasoning(output)
  // Clients keep items in the order in which they are done.
  for (const [index, call] of output.calls)
    if (index < (block.place ?? 0) - 1) {
      closeCall(output, call, 'completed')
      output.calls.delete(index)
    }
  closeReasoning(output, reasoningItem(block, id, text === '' ? undefined : text))
}

function addWhole(output: Output, item: OutputItem): void {
  finishItem(output, beginItem(output, item), item)
}

function closeReasoning(output: Output, item?: OutputItem): void {
  const open = output.reasoning
  if (open === undefined) return
  output.reasoning = undefined
  if (open.text !== '') {
    const place = { item_id: open.id, output_index: open.index, summary_index: 0 }
    output.teller.tell('response.reasoning_summary_text.done', { ...place, text: open.text })
    output.teller.tell('response.reasoning_summary_part.done', {
      ...place,
      part: { type: 'summary_text', text: open.text },
    })
  }
  finishItem(output, open.index, item ?? plainReasoningItem(open.text, open.id))
}

function openMessage(output: Output): StreamedMessage {
  closeReasoning(output)
  if (output.message !== undefined) return output.message
  const id = output.teller.itemId('msg_')
  const index = beginItem(output, messageItem(id, { content: [], status: 'in_progress' }))
  output.message = createStreamedMessage(id, index, output.teller)
  return output.message
}

function closeMessage(output: Output, status: string): void {
  const message = output.message
  if (message === undefined) return
  output.message = undefined
  const content = message.close()
  finishItem(output, message.index, messageItem(message.id, { content, status }))
}

function addImage(output: Output, url: string): void {
  closeReasoning(output)
  const id = output.teller.itemId('ig_')
  const item = { id, type: 'image_generation_call', status: 'in_progress', result: null }
  finishItem(output, beginItem(output, item), imageItem(id, url))
}

/** The call has already ended, and the message around it continues. */
function addServerCall(output: Output, call: ServerToolCall): void {
  closeReasoning(output)
  for (const item of serverItems(call, output.teller.itemId, output.teller)) addWhole(output, item)
}

function addCall(output: Output, piece: ToolCallDelta): void {
  const call = output.calls.get(piece.index) ?? openCall(output, piece)
  const text = (call.custom ? piece.custom?.input : piece.function?.arguments) ?? ''
  if (text !== '') addToCall(output, call, text)
}

function openCall(output: Output, piece: ToolCallDelta): OpenCall {
  closeReasoning(output)
  closeMessage(output, 'completed')
  const { itemId: newItemId, callId: newCallId } = output.teller
  const custom = piece.type === 'custom'
  const id = piece.id ?? newCallId()
  const isAsked = asksForEncrypted(output.teller.request)
  const signature = isAsked ? callSignature(piece) : undefined
  if (signature !== undefined) addWhole(output, signatureItem(id, signature, newItemId('rs_')))
  const callId = statedId(isAsked ? { id } : { ...piece, id }, output.carried.splice(0))
  const name = (custom ? piece.custom?.name : piece.function?.name) ?? ''
  const itemId = newItemId(custom ? 'ctc_' : 'fc_')
  const begun = custom
    ? { type: 'custom_tool_call', input: '' }
    : { type: 'function_call', arguments: '' }
  const index = beginItem(output, {
    id: itemId,
    status: 'in_progress',
    call_id: callId,
    name,
    ...begun,
  })
  const open: OpenCall = { itemId, callId, index, custom, name, text: '' }
  output.calls.set(piece.index, open)
  return open
}

function addToCall(output: Output, call: OpenCall, text: string): void {
  call.text += text
  if (!output.teller.names.isSearch(call.name)) tellPiece(output, call, text)
}

function tellPiece(output: Output, call: OpenCall, text: string): void {
  output.teller.tell(
    call.custom
      ? 'response.custom_tool_call_input.delta'
      : 'response.function_call_arguments.delta',
    { item_id: call.itemId, output_index: call.index, delta: text },
  )
}

function closeCall(output: Output, call: OpenCall, status: string): void {
  const { itemId, callId: id, index, name } = call
  const place = { item_id: itemId, output_index: index }
  if (call.custom) {
    const custom = { name, input: call.text }
    output.teller.tell('response.custom_tool_call_input.done', { ...place, input: call.text })
    return finishItem(output, index, callItem({ id, type: 'custom', custom }, itemId, status))
  }
  if (call.text === '') addToCall(output, call, '{}')
  const { names } = output.teller
  const whole = callItem(
    { id, type: 'function', function: { name, arguments: call.text } },
    itemId,
    status,
  )
  // A search for tools is not read before it is complete.
  if (names.isSearch(name)) return finishItem(output, index, whole)
  const named: Fields = { name: names.own(name).name, arguments: call.text }
  output.teller.tell('response.function_call_arguments.done', { ...place, ...named })
  finishItem(output, index, whole)
}
