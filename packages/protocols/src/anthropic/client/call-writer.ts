import type { ToolCallDelta } from '@sluice/contract'
import { callSignature } from '../../call-signature.ts'
import type { BlockWriter } from './block-writer.ts'
import { callSignatureBlock } from './thinking.ts'

interface Slot {
  readonly id: string
  name: string
  arguments: string
  signature: string | undefined
  state: 'waiting' | 'open' | 'closed'
}

/**
 * Writes calls as blocks. Upstreams may send the pieces of parallel calls in turns, but blocks cannot interleave: one
 * call is written as it comes, the others wait until it is whole, which a JSON object shows itself.
 */
export class CallWriter {
  readonly #blocks: BlockWriter
  readonly #newId: (prefix: string) => string
  readonly #slots = new Map<number, Slot>()
  #open: Slot | undefined

  constructor(blocks: BlockWriter, newId: (prefix: string) => string) {
    this.#blocks = blocks
    this.#newId = newId
  }

  get any(): boolean {
    return this.#slots.size > 0
  }

  /** True while a call is open whose arguments are not whole. */
  get writing(): boolean {
    return this.#open !== undefined && !isWhole(this.#open.arguments)
  }

  take(piece: ToolCallDelta): string {
    const slot = this.#slotOf(piece)
    const text = piece.function?.arguments ?? piece.custom?.input ?? ''
    slot.name ||= piece.function?.name ?? piece.custom?.name ?? ''
    slot.signature ??= callSignature(piece)
    slot.arguments += text
    const written = slot.state === 'open' ? this.#blocks.argue(text) : ''
    return written + this.#advance()
  }

  /** Everything that still waits, in the order in which the calls began. */
  finish(): string {
    let out = this.close()
    for (const slot of this.#slots.values())
      if (slot.state === 'waiting') out += this.#begin(slot) + this.close()
    return out
  }

  #slotOf({ index, id }: ToolCallDelta): Slot {
    const known = this.#slots.get(index)
    if (known !== undefined) return known
    const slot: Slot = {
      id: id || this.#newId('toolu_'),
      name: '',
      arguments: '',
      signature: undefined,
      state: 'waiting',
    }
    this.#slots.set(index, slot)
    return slot
  }

  /** Opens the next call when none is open, or the open one is whole. */
  #advance(): string {
    let out = ''
    for (const slot of this.#slots.values()) {
      if (slot.state !== 'waiting' || slot.name === '') continue
      if (this.writing) return out
      out += this.close() + this.#begin(slot)
    }
    return out
  }

  #begin(slot: Slot): string {
    slot.state = 'open'
    this.#open = slot
    const { id, name, signature } = slot
    const carried =
      signature === undefined ? '' : this.#blocks.whole(callSignatureBlock({ [id]: signature }))
    return carried + this.#blocks.beginCall(id, name) + this.#blocks.argue(slot.arguments)
  }

  /** Ends the open call; what comes of it later is white space. */
  close(): string {
    if (this.#open === undefined) return ''
    this.#open.state = 'closed'
    this.#open = undefined
    return this.#blocks.close()
  }
}

function isWhole(text: string): boolean {
  if (!text.trimEnd().endsWith('}')) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
