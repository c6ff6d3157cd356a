import type { Fields, ThinkingBlock } from '@sluice/contract'
import type { Block } from '../blocks.ts'
import { citationsOf, pictureText } from './reply.ts'
import { thinkingBlock, wordsOf } from './thinking.ts'
import { writeEvent } from './write-event.ts'

/** Writes blocks one after the other, with indexes that rise by one; at most one is open. */
export class BlockWriter {
  #next = 0
  #open: 'text' | 'thinking' | 'tool_use' | undefined
  #text = ''
  /** Words of a thought were written whose end has not come. */
  #thinking = false

  /** A piece of the answer's text. */
  say(text: string): string {
    if (text === '') return ''
    this.#text += text
    return (
      this.#enter('text', { type: 'text', text: '' }) + this.#delta({ type: 'text_delta', text })
    )
  }

  /** A piece of a thought. */
  think(thinking: string): string {
    if (thinking === '') return ''
    this.#thinking = true
    const start = this.#enter('thinking', { type: 'thinking', thinking: '', signature: '' })
    return start + this.#delta({ type: 'thinking_delta', thinking })
  }

  /** The end of a thought: what must come back with it. Its words were written before, or are now. */
  sign(block: ThinkingBlock, textShown: boolean): string {
    const isOpen = this.#open === 'thinking'
    const words = this.#thinking || !textShown ? '' : wordsOf(block)
    this.#thinking = false
    const written = thinkingBlock(block, isOpen ? 'written' : words)
    if (written.type !== 'thinking') return this.whole(written)
    const opened = isOpen
      ? ''
      : this.#enter('thinking', { type: 'thinking', thinking: '', signature: '' })
    const said = words === '' ? '' : this.#delta({ type: 'thinking_delta', thinking: words })
    const signature = this.#delta({ type: 'signature_delta', signature: written['signature'] })
    return opened + said + signature + this.close()
  }

  picture(url: string): string {
    return this.close() + this.say(pictureText(url)) + this.close()
  }

  /** Citations of the text so far; without a text there is nothing they could belong to. */
  cite(annotations: readonly Fields[] | undefined): string {
    if (this.#open !== 'text') return ''
    return citationsOf(this.#text, annotations)
      .map((citation) => this.#delta({ type: 'citations_delta', citation }))
      .join('')
  }

  beginCall(id: string, name: string): string {
    return this.close() + this.#enter('tool_use', { type: 'tool_use', id, name, input: {} })
  }

  argue(piece: string): string {
    return piece === '' ? '' : this.#delta({ type: 'input_json_delta', partial_json: piece })
  }

  /** A block that comes in one piece. */
  whole(block: Block): string {
    const closed = this.close()
    const index = this.#next
    this.#next += 1
    return (
      closed +
      writeEvent({ type: 'content_block_start', index, content_block: block }) +
      writeEvent({ type: 'content_block_stop', index })
    )
  }

  close(): string {
    if (this.#open === undefined) return ''
    this.#open = undefined
    return writeEvent({ type: 'content_block_stop', index: this.#next - 1 })
  }

  #enter(kind: 'text' | 'thinking' | 'tool_use', block: Block): string {
    if (this.#open === kind) return ''
    const closed = this.close()
    this.#open = kind
    const index = this.#next
    this.#next += 1
    return closed + writeEvent({ type: 'content_block_start', index, content_block: block })
  }

  #delta(delta: object): string {
    return writeEvent({ type: 'content_block_delta', index: this.#next - 1, delta })
  }
}
