import { Excerpts, SaidText } from '../../said-text.ts'
import { type Block, pictureText } from '../blocks.ts'
import { type Fields, formatEvent, type ThinkingBlock } from '@sluice/contract'
import { citationsOf } from './citations.ts'
import { thinkingBlock, wordsOf } from './thinking.ts'
import type { CalledTool } from '../toolsets.ts'

type Kind = 'text' | 'thinking' | 'tool_use'

const thought: Block = { type: 'thinking', thinking: '', signature: '' }

/** Writes the blocks of a streamed message: one after the other with increasing indexes, of which at most one is open. */
export class BlockWriter {
  #next = 0
  #open: Kind | undefined
  readonly #written = new SaidText()
  /** Annotations that are held back. */
  readonly #waiting: Fields[] = []
  readonly #excerpts = new Excerpts()
  /** Whether thinking text was written whose end has not come. */
  #thinks = false
  /** The type of the last piece, the index of its block, and what stands before its text. */
  #pieces = { type: '', index: -1, before: '' }

  /** Whether any text was written. */
  hasSpoken(): boolean {
    return this.#written.length > 0
  }

  /** Writes a piece of the response text. */
  say(text: string): string {
    if (text === '') return ''
    this.#written.add(text)
    const opened = this.#enter('text', { type: 'text', text: '' })
    return opened + this.#piece('text_delta', 'text', text) + this.#citeWaiting()
  }

  /** Writes a piece of thinking. */
  think(thinking: string): string {
    if (thinking === '') return ''
    this.#thinks = true
    return this.#enter('thinking', thought) + this.#piece('thinking_delta', 'thinking', thinking)
  }

  /** Ends a thinking block with its signature. Its text is written now unless it already was. */
  sign(block: ThinkingBlock, textShown: boolean): string {
    const isOpen = this.#open === 'thinking'
    const words = this.#thinks || !textShown ? '' : wordsOf(block)
    this.#thinks = false
    const written = thinkingBlock(block, isOpen ? 'written' : words)
    if (written.type !== 'thinking') return this.whole(written)
    const opened = isOpen ? '' : this.#enter('thinking', thought)
    const spoken = words === '' ? '' : this.#delta({ type: 'thinking_delta', thinking: words })
    const signature = this.#delta({ type: 'signature_delta', signature: written['signature'] })
    return opened + spoken + signature + this.close()
  }

  picture(url: string): string {
    return this.close() + this.say(pictureText(url)) + this.close()
  }

  /** Writes citations of the text so far. While no text block is open they are held back, because they must belong to one. */
  cite(annotations: readonly Fields[]): string {
    for (const annotation of annotations) this.#waiting.push(annotation)
    return this.#citeWaiting()
  }

  #citeWaiting(): string {
    if (this.#open !== 'text' || this.#waiting.length === 0) return ''
    return citationsOf(this.#written, this.#waiting.splice(0), this.#excerpts)
      .map((citation) => this.#delta({ type: 'citations_delta', citation }))
      .join('')
  }

  /** Whether citations are held back. */
  isCiting(): boolean {
    return this.#waiting.length > 0
  }

  beginCall(id: string, called: CalledTool): string {
    return this.close() + this.#enter('tool_use', { type: 'tool_use', id, ...called, input: {} })
  }

  argue(piece: string): string {
    return piece === '' ? '' : this.#piece('input_json_delta', 'partial_json', piece)
  }

  /** Writes a complete block. */
  whole(block: Block): string {
    return this.close() + this.#start(block) + this.#stop()
  }

  close(): string {
    if (this.#open === undefined) return ''
    this.#open = undefined
    return this.#stop()
  }

  /** Opens a block unless one of this kind is already open. */
  #enter(kind: Kind, block: Block): string {
    if (this.#open === kind) return ''
    const closed = this.close()
    this.#open = kind
    return closed + this.#start(block)
  }

  #start(block: Block): string {
    const index = this.#next
    this.#next += 1
    return writeEvent({ type: 'content_block_start', index, content_block: block })
  }

  /** A delta that adds to a text of the block. All but the text is constant, so nothing else is made for each of them. */
  #piece(type: string, field: string, text: string): string {
    if (this.#pieces.type !== type || this.#pieces.index !== this.#next - 1) {
      const index = this.#next - 1
      const delta = `{"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${field}":`
      this.#pieces = { type, index, before: `event: content_block_delta\ndata: ${delta}` }
    }
    return `${this.#pieces.before}${JSON.stringify(text)}}}\n\n`
  }

  #delta(delta: object): string {
    return writeEvent({ type: 'content_block_delta', index: this.#next - 1, delta })
  }

  #stop(): string {
    return writeEvent({ type: 'content_block_stop', index: this.#next - 1 })
  }
}

/** Writes one event of the Messages API; its SSE name is its type. */
export function writeEvent(data: { readonly type: string } & Fields): string {
  return formatEvent({ event: data.type, data: JSON.stringify(data) })
}
