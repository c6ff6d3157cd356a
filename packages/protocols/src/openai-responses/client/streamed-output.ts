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
import { streamedPieces } from './callers-tools.ts'
import { HeldCalls } from './held-calls.ts'
import { callItem, flatAnnotation, imageItem, messageItem } from './items.ts'
import { namedItem } from './offered-tools.ts'
import {
  asksForEncrypted,
  hasWords,
  plainReasoningItem,
  reasoningItem,
  signatureItem,
} from './reasoning.ts'
import type { OutputItem } from './schema.ts'
import { serverItems } from './server-items.ts'
import { type PiecePlace, piecePlace, StreamedMessage, type Teller } from './streamed-message.ts'

interface OpenReasoning {
  readonly id: string
  readonly index: number
  readonly place: PiecePlace
  text: string
}

interface OpenCall {
  readonly place: PiecePlace
  readonly itemId: string
  readonly callId: string
  readonly index: number
  readonly custom: boolean
  readonly name: string
  text: string
}

/** The output of one streamed response. */
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

/**
 * The output items as they arrive. Reasoning ends when its block is complete or something else begins, and the message ends
 * when a call begins. Calls stay open until the end or until a later thought, because pieces of parallel calls may be
 * interleaved.
 */
export class OutputItems implements StreamedOutput {
  readonly #teller: Teller
  /** By output index. An item is put here when it is done. */
  readonly #done: (OutputItem | undefined)[] = []
  readonly #calls = new Map<number, OpenCall>()
  readonly #held: HeldCalls
  #reasoning: OpenReasoning | undefined
  #message: StreamedMessage | undefined
  /** Whether reasoning is shown: the caller asked for it, or the model's words are among it. */
  #isShown: boolean
  /** Reasoning before the first words, which otherwise is in the id of the next call. */
  readonly #carried: ThinkingBlock[] = []

  constructor(teller: Teller) {
    this.#teller = teller
    this.#held = new HeldCalls((name) => teller.names.represented(name) !== undefined)
    this.#isShown = asksForEncrypted(teller.request)
  }

  items(): readonly OutputItem[] {
    return this.#done.filter((item) => item !== undefined)
  }

  add(delta: ChatDelta, logprobs: ChoiceLogprobs | null): void {
    const { thinking_blocks: blocks, annotations, images, server_tool_calls: served } = delta
    if (delta.reasoning_content) this.#addReasoning(delta.reasoning_content)
    if (blocks) for (const block of blocks) this.#addBlock(block)
    if (delta.content) this.#openMessage().addText(delta.content, logprobs)
    if (delta.refusal) this.#openMessage().addRefusal(delta.refusal)
    if (annotations)
      for (const annotation of annotations)
        this.#openMessage().annotate(flatAnnotation(annotation, this.#teller))
    if (images) for (const { image_url: image } of images) this.#addImage(image.url)
    if (served) for (const call of served) this.#addServerCall(call)
    for (const piece of delta.tool_calls ?? [])
      for (const ready of this.#held.take(piece)) this.#addCall(ready, 'completed')
  }

  close(status: 'completed' | 'incomplete'): void {
    this.#closeReasoning()
    this.#closeMessage(status)
    for (const piece of this.#held.rest()) this.#addCall(piece, status)
    for (const call of this.#calls.values()) this.#closeCall(call, status)
    this.#calls.clear()
  }

  #beginItem(item: OutputItem): number {
    const index = this.#done.push(undefined) - 1
    const shown = namedItem(item, this.#teller.names)
    this.#teller.tell('response.output_item.added', { output_index: index, item: shown })
    return index
  }

  #finishItem(index: number, item: OutputItem): void {
    const shown = namedItem(item, this.#teller.names)
    this.#done[index] = shown
    this.#teller.tell('response.output_item.done', { output_index: index, item: shown })
  }

  #show(): void {
    if (this.#isShown) return
    this.#isShown = true
    for (const block of this.#carried.splice(0)) this.#addBlock(block)
  }

  #addReasoning(text: string): void {
    this.#show()
    const open = this.#reasoning ?? this.#openReasoning()
    if (open.text === '')
      this.#teller.tell('response.reasoning_summary_part.added', {
        ...summaryPlace(open),
        part: { type: 'summary_text', text: '' },
      })
    open.text += text
    this.#teller.tellPiece(open.place, text)
  }

  #openReasoning(): OpenReasoning {
    const id = this.#teller.itemId('rs_')
    this.#closeMessage('completed')
    const index = this.#beginItem({ id, type: 'reasoning', summary: [] })
    const place = piecePlace('response.reasoning_summary_text.delta', summaryPlace({ id, index }))
    this.#reasoning = { id, index, place, text: '' }
    return this.#reasoning
  }

  /**
   * A complete block ends the reasoning that it belongs to. If none of its text was sent before, it becomes an item of its own.
   */
  #addBlock(block: ThinkingBlock): void {
    if (hasWords(block)) this.#show()
    if (!this.#isShown) {
      this.#carried.push(block)
      return
    }
    // Gemini signs a text after it was sent; the message continues.
    if (this.#reasoning === undefined && this.#message !== undefined && block.type === 'thought')
      return this.#addWhole(reasoningItem(block, this.#teller.itemId('rs_')))
    const { text, id } = this.#reasoning ?? this.#openReasoning()
    // Clients keep items in the order in which they are done.
    for (const [index, call] of this.#calls)
      if (index < (block.place ?? 0) - 1) {
        this.#closeCall(call, 'completed')
        this.#calls.delete(index)
      }
    this.#closeReasoning(reasoningItem(block, id, text === '' ? undefined : text))
  }

  #addWhole(item: OutputItem): void {
    this.#finishItem(this.#beginItem(item), item)
  }

  #closeReasoning(item?: OutputItem): void {
    const open = this.#reasoning
    if (open === undefined) return
    this.#reasoning = undefined
    if (open.text !== '') {
      const place = summaryPlace(open)
      this.#teller.tell('response.reasoning_summary_text.done', { ...place, text: open.text })
      this.#teller.tell('response.reasoning_summary_part.done', {
        ...place,
        part: { type: 'summary_text', text: open.text },
      })
    }
    this.#finishItem(open.index, item ?? plainReasoningItem(open.text, open.id))
  }

  #openMessage(): StreamedMessage {
    this.#closeReasoning()
    if (this.#message !== undefined) return this.#message
    const id = this.#teller.itemId('msg_')
    const index = this.#beginItem(messageItem(id, { content: [], status: 'in_progress' }))
    this.#message = new StreamedMessage(id, index, this.#teller)
    return this.#message
  }

  #closeMessage(status: string): void {
    const message = this.#message
    if (message === undefined) return
    this.#message = undefined
    const content = message.close()
    this.#finishItem(message.index, messageItem(message.id, { content, status }))
  }

  #addImage(url: string): void {
    this.#closeReasoning()
    const id = this.#teller.itemId('ig_')
    const item = { id, type: 'image_generation_call', status: 'in_progress', result: null }
    this.#finishItem(this.#beginItem(item), imageItem(id, url))
  }

  /** The call has already ended, and the message around it continues. */
  #addServerCall(call: ServerToolCall): void {
    this.#closeReasoning()
    for (const item of serverItems(call, this.#teller.itemId, this.#teller)) this.#addWhole(item)
  }

  /** `status`: that of a call which is told as one. */
  #addCall(piece: ToolCallDelta, status: string): void {
    if (this.#isRepresented(piece)) return this.#tellWhole(piece, status)
    const call = this.#calls.get(piece.index) ?? this.#openCall(piece)
    const text = (call.custom ? piece.custom?.input : piece.function?.arguments) ?? ''
    if (text !== '') this.#addToCall(call, text)
  }

  #isRepresented({ function: called }: ToolCallDelta): boolean {
    return this.#teller.names.represented(called?.name ?? '') !== undefined
  }

  /** A call of a tool of OpenAI's, whose item has no arguments that could be told in pieces. */
  #tellWhole(piece: ToolCallDelta, status: string): void {
    const id = this.#beginCall(piece)
    const { name = '', arguments: written = '' } = piece.function ?? {}
    const call = { id, type: 'function' as const, function: { name, arguments: written } }
    const item = namedItem(callItem(call, this.#teller.itemId('fc_'), status), this.#teller.names)
    const { begun, events } = streamedPieces(item)
    const index = this.#done.push(undefined) - 1
    this.#teller.tell('response.output_item.added', { output_index: index, item: begun })
    for (const [type, fields] of events) this.#teller.tell(type, { output_index: index, ...fields })
    this.#finishItem(index, item)
  }

  /** Ends what comes before a call. Returns the call's id as the caller sees it. */
  #beginCall(piece: ToolCallDelta): string {
    this.#closeReasoning()
    this.#closeMessage('completed')
    const { itemId: newItemId, callId: newCallId } = this.#teller
    const id = piece.id ?? newCallId()
    const isAsked = asksForEncrypted(this.#teller.request)
    const signature = isAsked ? callSignature(piece) : undefined
    if (signature !== undefined) this.#addWhole(signatureItem(id, signature, newItemId('rs_')))
    return statedId(isAsked ? { id } : { ...piece, id }, this.#carried.splice(0))
  }

  #openCall(piece: ToolCallDelta): OpenCall {
    const callId = this.#beginCall(piece)
    const custom = piece.type === 'custom'
    const name = (custom ? piece.custom?.name : piece.function?.name) ?? ''
    const itemId = this.#teller.itemId(custom ? 'ctc_' : 'fc_')
    const begun = custom
      ? { type: 'custom_tool_call', input: '' }
      : { type: 'function_call', arguments: '' }
    const index = this.#beginItem({
      id: itemId,
      status: 'in_progress',
      call_id: callId,
      name,
      ...begun,
    })
    const place = piecePlace(
      custom ? 'response.custom_tool_call_input.delta' : 'response.function_call_arguments.delta',
      { item_id: itemId, output_index: index },
    )
    const open: OpenCall = { place, itemId, callId, index, custom, name, text: '' }
    this.#calls.set(piece.index, open)
    return open
  }

  #addToCall(call: OpenCall, text: string): void {
    call.text += text
    this.#teller.tellPiece(call.place, text)
  }

  #closeCall(call: OpenCall, status: string): void {
    const { itemId, callId: id, index, name } = call
    const place = { item_id: itemId, output_index: index }
    if (call.custom) {
      const custom = { name, input: call.text }
      this.#teller.tell('response.custom_tool_call_input.done', { ...place, input: call.text })
      return this.#finishItem(index, callItem({ id, type: 'custom', custom }, itemId, status))
    }
    if (call.text === '') this.#addToCall(call, '{}')
    const { names } = this.#teller
    const whole = callItem(
      { id, type: 'function', function: { name, arguments: call.text } },
      itemId,
      status,
    )
    const named: Fields = { name: names.own(name).name, arguments: call.text }
    this.#teller.tell('response.function_call_arguments.done', { ...place, ...named })
    this.#finishItem(index, whole)
  }
}

function summaryPlace({ id, index }: Pick<OpenReasoning, 'id' | 'index'>): Fields {
  return { item_id: id, output_index: index, summary_index: 0 }
}
