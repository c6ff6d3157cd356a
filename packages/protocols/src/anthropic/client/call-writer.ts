import { formatJson, GatewayError, type ThinkingBlock, type ToolCallDelta } from '@sluice/contract'
import { unreadArguments } from '../../call-arguments.ts'
import { callSignature, withSignature } from '../../call-signature.ts'
import { statedId } from '../../call-state.ts'
import { ObjectProgress } from '../../object-progress.ts'
import type { CalledTool } from '../toolsets.ts'
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
  /** Whether the arguments begin like an object. Undefined before anything but white space has come. */
  isObject: boolean | undefined
  readonly progress: ObjectProgress
  signature: string | undefined
  /** A call without a name cannot begin. */
  state: 'nameless' | 'waiting' | 'open' | 'closed'
}

interface CallContext {
  readonly newId: (prefix: string) => string
  /** Whether the caller asked for thinking, so that its blocks may carry signatures. */
  readonly isAsked: boolean
  /** Finds what a function stands for. */
  readonly called: (flat: string) => CalledTool
}

/**
 * Writes tool calls as blocks. Upstreams may interleave pieces of parallel calls, but blocks cannot interleave. One call is
 * written as it arrives; the others wait until it is complete, which its JSON object shows.
 */
export class CallWriter {
  readonly #blocks: BlockWriter
  readonly #context: CallContext
  readonly #slots = new Map<number, Slot>()
  /** Calls with a name, in order, and how many of them have been processed. */
  readonly #named: Slot[] = []
  #started = 0
  #open: Slot | undefined
  readonly #carried: ThinkingBlock[] = []

  constructor(blocks: BlockWriter, context: CallContext) {
    this.#blocks = blocks
    this.#context = context
  }

  /** Whether any call came. */
  any(): boolean {
    return this.#slots.size > 0
  }

  /** True while the arguments of the open call are incomplete. */
  writing(): boolean {
    return this.#open !== undefined && !this.#open.progress.isWhole(this.#open.arguments)
  }

  take(piece: ToolCallDelta): string {
    const slot = this.#slots.get(piece.index) ?? newSlot(piece.id || this.#context.newId('toolu_'))
    this.#slots.set(piece.index, slot)
    const text = textIn(slot, piece)
    if (isNamedBy(slot, piece)) this.#named.push(slot)
    slot.signature ??= callSignature(piece)
    slot.arguments += text
    slot.progress.add(text)
    const written = slot.state === 'open' ? this.#argue(slot, text) : ''
    return written + this.#advance()
  }

  /** Adds reasoning to what the id of the next call that begins holds. */
  carry(thoughts: readonly ThinkingBlock[]): void {
    this.#carried.push(...thoughts)
  }

  /** Writes everything that is still waiting, in the order in which the calls began. */
  finish(): string {
    let out = this.close()
    for (const slot of this.#slots.values())
      if (slot.state === 'nameless' || slot.state === 'waiting')
        out += this.#begin(slot) + this.close()
    return out
  }

  /**
   * Ends the open call; only white space can follow in its arguments. Throws `upstream_garbled` if they began as an object and are
   * none: what was written of them cannot be taken back. Arguments that were cut are told by the stop reason.
   */
  close(): string {
    if (this.#open === undefined) return ''
    if (isBroken(this.#open))
      throw new GatewayError(
        'upstream_garbled',
        `The model wrote arguments of its call of '${this.#open.name}' that are not JSON`,
      )
    const rest = this.#blocks.argue(endOf(this.#open))
    this.#open.state = 'closed'
    this.#open = undefined
    return rest + this.#blocks.close()
  }

  /** Opens the next call if none is open, or the open one is complete. */
  #advance(): string {
    let out = ''
    for (; this.#started < this.#named.length && !this.writing(); this.#started += 1) {
      const slot = this.#named[this.#started]
      if (slot?.state === 'waiting') out += this.close() + this.#begin(slot)
    }
    return out
  }

  #begin(slot: Slot): string {
    slot.state = 'open'
    this.#open = slot
    const { id, signature, name } = slot
    const before =
      this.#context.isAsked && signature !== undefined
        ? this.#blocks.whole(callSignatureBlock({ [id]: signature }))
        : ''
    const stated = this.#context.isAsked
      ? statedId({ id }, [])
      : signedId(slot, this.#carried.splice(0))
    const begun = this.#blocks.beginCall(stated, this.#context.called(name))
    return before + begun + this.#argue(slot, slot.arguments)
  }

  /** Writes a piece of arguments, unless they are no object: those are written as a whole, as in whole responses. */
  #argue(slot: Slot, piece: string): string {
    if (slot.isObject !== undefined) return slot.isObject ? this.#blocks.argue(piece) : ''
    const [first] = slot.arguments.trimStart()
    if (first === undefined) return ''
    slot.isObject = first === '{'
    return slot.isObject ? this.#blocks.argue(slot.arguments) : ''
  }
}

/** The id of a call, which holds its signature and the reasoning before it. */
function signedId({ id, signature }: Slot, reasoning: readonly ThinkingBlock[]): string {
  const signed = signature === undefined ? {} : withSignature(signature)
  return statedId({ id, ...signed }, reasoning)
}

function newSlot(id: string): Slot {
  const rest = { name: '', arguments: '', signature: undefined, state: 'nameless' } as const
  return { id, isCustom: false, isObject: undefined, progress: new ObjectProgress(), ...rest }
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

function isBroken({ isCustom, isObject, progress, arguments: text }: Slot): boolean {
  return !isCustom && isObject === true && !progress.isOpen && !progress.isWhole(text)
}

/** What follows the pieces of a call that ends. */
function endOf({ isCustom, isObject, arguments: text }: Slot): string {
  if (isCustom) return customEnd
  return isObject === false ? formatJson(unreadArguments(text)) : ''
}

/** The text that a piece adds to the arguments. */
function textIn(slot: Slot, { function: called, custom }: ToolCallDelta): string {
  if (custom === undefined) return called?.arguments ?? ''
  const begin = slot.isCustom ? '' : customBegin
  slot.isCustom = true
  return begin + JSON.stringify(custom.input ?? '').slice(1, -1)
}
