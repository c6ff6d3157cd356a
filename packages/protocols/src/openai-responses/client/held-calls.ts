import type { ToolCallDelta } from '@sluice/contract'
import { ObjectProgress } from '../../object-progress.ts'

interface HeldCall {
  readonly first: ToolCallDelta
  text: string
}

/**
 * Lets the pieces of streamed calls through, but a call of a tool whose item cannot be told in pieces only as one, when its
 * arguments are complete. Calls that begin meanwhile wait too, because items have an order.
 */
export class HeldCalls {
  readonly #waits: (name: string) => boolean
  #open: (HeldCall & { readonly progress: ObjectProgress }) | undefined
  /** By slot: what came behind the open call. */
  #behind = new Map<number, HeldCall>()
  /** The slots of the calls that were told as one. */
  readonly #told = new Set<number>()

  constructor(waits: (name: string) => boolean) {
    this.#waits = waits
  }

  /** The pieces that may be told now. */
  take(piece: ToolCallDelta): readonly ToolCallDelta[] {
    // Only white space can follow complete arguments.
    if (this.#told.has(piece.index)) return []
    const open = this.#open
    if (open === undefined) return this.#begin(piece)
    if (open.first.index === piece.index) {
      open.text += textIn(piece)
      open.progress.add(textIn(piece))
      return this.#whole()
    }
    const held = this.#behind.get(piece.index)
    if (held === undefined) this.#behind.set(piece.index, { first: piece, text: textIn(piece) })
    else held.text += textIn(piece)
    return []
  }

  /** What is still held, once, at the end of the stream. */
  rest(): readonly ToolCallDelta[] {
    const told: ToolCallDelta[] = []
    while (this.#open !== undefined) told.push(...this.#released())
    return told
  }

  #begin(piece: ToolCallDelta): readonly ToolCallDelta[] {
    if (!this.#waits(piece.function?.name ?? '')) return [piece]
    const progress = new ObjectProgress()
    progress.add(textIn(piece))
    this.#open = { first: piece, text: textIn(piece), progress }
    return this.#whole()
  }

  #whole(): readonly ToolCallDelta[] {
    return this.#open?.progress.isWhole(this.#open.text) === true ? this.#released() : []
  }

  #released(): readonly ToolCallDelta[] {
    const open = this.#open
    if (open === undefined) return []
    const behind = this.#behind
    this.#open = undefined
    this.#behind = new Map()
    this.#told.add(open.first.index)
    return [joined(open), ...[...behind.values()].flatMap((held) => this.take(joined(held)))]
  }
}

function textIn({ function: called, custom }: ToolCallDelta): string {
  return called?.arguments ?? custom?.input ?? ''
}

function joined({ first, text }: HeldCall): ToolCallDelta {
  return first.custom === undefined
    ? { ...first, function: { ...first.function, arguments: text } }
    : { ...first, custom: { ...first.custom, input: text } }
}
