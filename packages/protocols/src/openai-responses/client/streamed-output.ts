import type {
  ChatDelta,
  ChoiceLogprobs,
  Fields,
  ThinkingBlock,
  ToolCallDelta,
} from '@sluice/contract'
import { callSignature } from '../../call-signature.ts'
import { plainReasoningItem, reasoningItem, signatureItem } from './reasoning.ts'
import { callItem, flatAnnotation, imageItem, messageItem } from './reply.ts'
import type { OutputItem } from './schema.ts'
import { StreamedMessage, type Teller } from './streamed-message.ts'

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

/**
 * The output items of one streamed response. Reasoning ends when its block is whole or something else begins, the
 * message ends when a call begins, and calls stay open to the end, because pieces of parallel calls may interleave.
 */
export class StreamedOutput {
  readonly #teller: Teller
  /** By output index; an item is put here when it is done. */
  readonly #done: (OutputItem | undefined)[] = []
  readonly #calls = new Map<number, OpenCall>()
  #reasoning: OpenReasoning | undefined
  #message: StreamedMessage | undefined
  #legacyCallId: string | undefined

  constructor(teller: Teller) {
    this.#teller = teller
  }

  /** The finished items in order. */
  get items(): readonly OutputItem[] {
    return this.#done.filter((item) => item !== undefined)
  }

  add(delta: ChatDelta, logprobs: ChoiceLogprobs | null): void {
    if (delta.reasoning_content) this.#addReasoning(delta.reasoning_content)
    for (const block of delta.thinking_blocks ?? []) this.#addBlock(block)
    if (delta.content) this.#openMessage().addText(delta.content, logprobs)
    if (delta.refusal) this.#openMessage().addRefusal(delta.refusal)
    for (const annotation of delta.annotations ?? [])
      this.#openMessage().annotate(flatAnnotation(annotation))
    for (const { image_url: image } of delta.images ?? []) this.#addImage(image.url)
    for (const call of delta.tool_calls ?? []) this.#addCall(call)
    if (delta.function_call) this.#addLegacyCall(delta.function_call)
  }

  /** Ends what is open. `status`: of the message and the calls, `incomplete` when the answer was cut by its limit. */
  close(status: 'completed' | 'incomplete'): void {
    this.#closeReasoning()
    this.#closeMessage(status)
    for (const call of this.#calls.values()) this.#closeCall(call, status)
    this.#calls.clear()
  }

  #begin(item: OutputItem): number {
    const index = this.#done.push(undefined) - 1
    this.#teller.tell('response.output_item.added', { output_index: index, item })
    return index
  }

  #finish(index: number, item: OutputItem): void {
    this.#done[index] = item
    this.#teller.tell('response.output_item.done', { output_index: index, item })
  }

  #addReasoning(text: string): void {
    const open = this.#reasoning ?? this.#openReasoning()
    const place = { item_id: open.id, output_index: open.index, summary_index: 0 }
    if (open.text === '')
      this.#teller.tell('response.reasoning_summary_part.added', {
        ...place,
        part: { type: 'summary_text', text: '' },
      })
    open.text += text
    this.#teller.tell('response.reasoning_summary_text.delta', { ...place, delta: text })
  }

  #openReasoning(): OpenReasoning {
    const id = this.#teller.itemId('rs_')
    this.#closeMessage('completed')
    const index = this.#begin({ id, type: 'reasoning', summary: [] })
    this.#reasoning = { id, index, text: '' }
    return this.#reasoning
  }

  /** A whole block ends the reasoning it belongs to; one without any text told is an item of its own. */
  #addBlock(block: ThinkingBlock): void {
    // Gemini signs a text after it was told; the message goes on.
    if (this.#reasoning === undefined && this.#message !== undefined && block.type === 'thought')
      return this.#addWhole(reasoningItem(block, this.#teller.itemId('rs_')))
    const { text, id } = this.#reasoning ?? this.#openReasoning()
    this.#closeReasoning(reasoningItem(block, id, text === '' ? undefined : text))
  }

  #addWhole(item: OutputItem): void {
    this.#finish(this.#begin(item), item)
  }

  #closeReasoning(item?: OutputItem): void {
    const open = this.#reasoning
    if (open === undefined) return
    this.#reasoning = undefined
    if (open.text !== '') {
      const place = { item_id: open.id, output_index: open.index, summary_index: 0 }
      this.#teller.tell('response.reasoning_summary_text.done', { ...place, text: open.text })
      this.#teller.tell('response.reasoning_summary_part.done', {
        ...place,
        part: { type: 'summary_text', text: open.text },
      })
    }
    this.#finish(open.index, item ?? plainReasoningItem(open.text, open.id))
  }

  #openMessage(): StreamedMessage {
    this.#closeReasoning()
    if (this.#message !== undefined) return this.#message
    const id = this.#teller.itemId('msg_')
    const index = this.#begin(messageItem(id, { content: [], status: 'in_progress' }))
    this.#message = new StreamedMessage(id, index, this.#teller)
    return this.#message
  }

  #closeMessage(status: string): void {
    const message = this.#message
    if (message === undefined) return
    this.#message = undefined
    const content = message.close()
    this.#finish(message.index, messageItem(message.id, { content, status }))
  }

  #addImage(url: string): void {
    this.#closeReasoning()
    this.#addWhole(imageItem(this.#teller.itemId('ig_'), url))
  }

  #addCall(piece: ToolCallDelta): void {
    const call = this.#calls.get(piece.index) ?? this.#openCall(piece)
    const text = (call.custom ? piece.custom?.input : piece.function?.arguments) ?? ''
    if (text !== '') this.#addToCall(call, text)
  }

  #addLegacyCall({ name, arguments: text }: NonNullable<ChatDelta['function_call']>): void {
    this.#legacyCallId ??= this.#teller.callId()
    const named = {
      ...(name === undefined ? {} : { name }),
      ...(text === undefined ? {} : { arguments: text }),
    }
    this.#addCall({ index: -1, id: this.#legacyCallId, type: 'function', function: named })
  }

  #openCall(piece: ToolCallDelta): OpenCall {
    this.#closeReasoning()
    this.#closeMessage('completed')
    const { itemId: newItemId, callId: newCallId } = this.#teller
    const custom = piece.type === 'custom'
    const callId = piece.id ?? newCallId()
    const signature = callSignature(piece)
    if (signature !== undefined) this.#addWhole(signatureItem(callId, signature, newItemId('rs_')))
    const name = (custom ? piece.custom?.name : piece.function?.name) ?? ''
    const itemId = newItemId(custom ? 'ctc_' : 'fc_')
    const begun = custom
      ? { type: 'custom_tool_call', input: '' }
      : { type: 'function_call', arguments: '' }
    const index = this.#begin({
      id: itemId,
      status: 'in_progress',
      call_id: callId,
      name,
      ...begun,
    })
    const call: OpenCall = { itemId, callId, index, custom, name, text: '' }
    this.#calls.set(piece.index, call)
    return call
  }

  #addToCall(call: OpenCall, text: string): void {
    call.text += text
    this.#teller.tell(
      call.custom
        ? 'response.custom_tool_call_input.delta'
        : 'response.function_call_arguments.delta',
      { item_id: call.itemId, output_index: call.index, delta: text },
    )
  }

  #closeCall(call: OpenCall, status: string): void {
    const { itemId, callId: id, index, name } = call
    const place = { item_id: itemId, output_index: index }
    if (call.custom) {
      const custom = { name, input: call.text }
      this.#teller.tell('response.custom_tool_call_input.done', { ...place, input: call.text })
      return this.#finish(index, callItem({ id, type: 'custom', custom }, itemId, status))
    }
    if (call.text === '') this.#addToCall(call, '{}')
    const named: Fields = { name, arguments: call.text }
    this.#teller.tell('response.function_call_arguments.done', { ...place, ...named })
    this.#finish(
      index,
      callItem({ id, type: 'function', function: { name, arguments: call.text } }, itemId, status),
    )
  }
}
