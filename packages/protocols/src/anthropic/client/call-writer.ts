import type { ToolCallDelta } from '@sluice/contract'
import { callSignature } from '../../call-signature.ts'
import type { BlockWriter } from './block-writer.ts'
import { callSignatureBlock } from './thinking.ts'

interface Slot {
  readonly id: string
  /** A free-form call: this format has none, so that its text is the one string of an object, as in whole answers. */
  isCustom: boolean
  name: string
  arguments: string
  signature: string | undefined
  state: 'waiting' | 'open' | 'closed'
}

/**
 * Writes calls as blocks. Upstreams may send the pieces of parallel calls in turns, but blocks cannot interleave: one
 * call is written as it comes, the others wait until it is whole, which a JSON object shows itself.
 */
export interface CallWriter {
  /** Whether any call came. */
  any(): boolean
  /** True while a call is open whose arguments are not whole. */
  writing(): boolean
  take(piece: ToolCallDelta): string
  /** Everything that still waits, in the order in which the calls began. */
  finish(): string
  /** Ends the open call; what comes of it later is white space. */
  close(): string
}

export function createCallWriter(
  blocks: BlockWriter,
  newId: (prefix: string) => string,
): CallWriter {
  const slots = new Map<number, Slot>()
  let open: Slot | undefined

  const writing = (): boolean => open !== undefined && !isWhole(open.arguments)

  function slotOf({ index, id }: ToolCallDelta): Slot {
    const known = slots.get(index)
    if (known !== undefined) return known
    const rest = { name: '', arguments: '', signature: undefined, state: 'waiting' } as const
    const slot: Slot = { id: id || newId('toolu_'), isCustom: false, ...rest }
    slots.set(index, slot)
    return slot
  }

  function begin(slot: Slot): string {
    slot.state = 'open'
    open = slot
    const { id, name, signature } = slot
    const carried =
      signature === undefined ? '' : blocks.whole(callSignatureBlock({ [id]: signature }))
    return carried + blocks.beginCall(id, name) + blocks.argue(slot.arguments)
  }

  function close(): string {
    if (open === undefined) return ''
    const rest = open.isCustom ? blocks.argue(customEnd) : ''
    open.state = 'closed'
    open = undefined
    return rest + blocks.close()
  }

  /** Opens the next call when none is open, or the open one is whole. */
  function advance(): string {
    let out = ''
    for (const slot of slots.values()) {
      if (slot.state !== 'waiting' || slot.name === '') continue
      if (writing()) return out
      out += close() + begin(slot)
    }
    return out
  }

  return {
    any: () => slots.size > 0,
    writing,
    take(piece) {
      const slot = slotOf(piece)
      const text = textIn(slot, piece)
      slot.name ||= piece.function?.name ?? piece.custom?.name ?? ''
      slot.signature ??= callSignature(piece)
      slot.arguments += text
      const written = slot.state === 'open' ? blocks.argue(text) : ''
      return written + advance()
    },
    finish() {
      let out = close()
      for (const slot of slots.values()) if (slot.state === 'waiting') out += begin(slot) + close()
      return out
    },
    close,
  }
}

const customBegin = '{"input":"'
const customEnd = '"}'

/** What a piece adds to the arguments. */
function textIn(slot: Slot, { function: called, custom }: ToolCallDelta): string {
  if (custom === undefined) return called?.arguments ?? ''
  const begin = slot.isCustom ? '' : customBegin
  slot.isCustom = true
  return begin + JSON.stringify(custom.input ?? '').slice(1, -1)
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
