import type { ThinkingBlock, ToolCallDelta } from '@sluice/contract'
import { callSignature, withSignature } from '../../call-signature.ts'
import { statedId } from '../../call-state.ts'
import { ObjectProgress } from '../../object-progress.ts'
import type { BlockWriter } from './block-writer.ts'
import { callSignatureBlock } from './thinking.ts'

interface Slot {
  readonly id: string
  /**
   * A custom tool call. This format has none, so its text becomes the single string of an input object, as in whole responses.
   */
  isCustom: boolean
  name: string
  arguments: string
  readonly progress: ObjectProgress
  signature: string | undefined
  /** A call without a name cannot begin. */
  state: 'nameless' | 'waiting' | 'open' | 'closed'
}

/**
 * Writes tool calls as blocks. Upstreams may interleave pieces of parallel calls, but blocks cannot interleave. One call is
 * written as it arrives; the others wait until it is complete, which its JSON object shows.
 */
export interface CallWriter {
  /** Whether any call came. */
  any(): boolean
  /** True while the arguments of the open call are incomplete. */
  writing(): boolean
  take(piece: ToolCallDelta): string
  /** Adds reasoning to what the id of the next call that begins holds. */
  carry(blocks: readonly ThinkingBlock[]): void
  /** Writes everything that is still waiting, in the order in which the calls began. */
  finish(): string
  /** Ends the open call; only white space can follow in its arguments. */
  close(): string
}

/** `isAsked`: whether the caller asked for thinking, so that its blocks may carry signatures. */
export function createCallWriter(
  blocks: BlockWriter,
  newId: (prefix: string) => string,
  isAsked: boolean,
): CallWriter {
  const slots = new Map<number, Slot>()
  /** Calls with a name, in order, and how many of them have been processed. */
  const named: Slot[] = []
  let started = 0
  let open: Slot | undefined
  const carried: ThinkingBlock[] = []

  const writing = (): boolean => open !== undefined && !open.progress.isWhole(open.arguments)

  function slotOf({ index, id }: ToolCallDelta): Slot {
    const slot = slots.get(index) ?? newSlot(id || newId('toolu_'))
    slots.set(index, slot)
    return slot
  }

  function begin(slot: Slot): string {
    slot.state = 'open'
    open = slot
    if (!isAsked) return beginCall(blocks, slot, signedId(slot, carried.splice(0)))
    return signatureBefore(blocks, slot) + beginCall(blocks, slot, statedId({ id: slot.id }, []))
  }

  function close(): string {
    if (open === undefined) return ''
    const rest = open.isCustom ? blocks.argue(customEnd) : ''
    open.state = 'closed'
    open = undefined
    return rest + blocks.close()
  }

  /** Opens the next call if none is open, or the open one is complete. */
  function advance(): string {
    let out = ''
    for (; started < named.length && !writing(); started += 1) {
      const slot = named[started]
      if (slot?.state === 'waiting') out += close() + begin(slot)
    }
    return out
  }

  return {
    any: () => slots.size > 0,
    writing,
    take(piece) {
      const slot = slotOf(piece)
      const text = textIn(slot, piece)
      if (isNamedBy(slot, piece)) named.push(slot)
      slot.signature ??= callSignature(piece)
      slot.arguments += text
      slot.progress.add(text)
      const written = slot.state === 'open' ? blocks.argue(text) : ''
      return written + advance()
    },
    carry(thoughts) {
      carried.push(...thoughts)
    },
    finish() {
      let out = close()
      for (const slot of slots.values())
        if (slot.state === 'nameless' || slot.state === 'waiting') out += begin(slot) + close()
      return out
    },
    close,
  }
}

/** The id of a call, which holds its signature and the reasoning before it. */
function signedId({ id, signature }: Slot, reasoning: readonly ThinkingBlock[]): string {
  const signed = signature === undefined ? {} : withSignature(signature)
  return statedId({ id, ...signed }, reasoning)
}

function signatureBefore(blocks: BlockWriter, { id, signature }: Slot): string {
  return signature === undefined ? '' : blocks.whole(callSignatureBlock({ [id]: signature }))
}

function beginCall(blocks: BlockWriter, slot: Slot, id: string): string {
  return blocks.beginCall(id, slot.name) + blocks.argue(slot.arguments)
}

function newSlot(id: string): Slot {
  const rest = { name: '', arguments: '', signature: undefined, state: 'nameless' } as const
  return { id, isCustom: false, progress: new ObjectProgress(), ...rest }
}

/** Stores the name in a piece; returns whether the call has just got its name. */
function isNamedBy(slot: Slot, piece: ToolCallDelta): boolean {
  slot.name ||= piece.function?.name ?? piece.custom?.name ?? ''
  if (slot.state !== 'nameless' || slot.name === '') return false
  slot.state = 'waiting'
  return true
}

const customBegin = '{"input":"'
const customEnd = '"}'

/** The text that a piece adds to the arguments. */
function textIn(slot: Slot, { function: called, custom }: ToolCallDelta): string {
  if (custom === undefined) return called?.arguments ?? ''
  const begin = slot.isCustom ? '' : customBegin
  slot.isCustom = true
  return begin + JSON.stringify(custom.input ?? '').slice(1, -1)
}
