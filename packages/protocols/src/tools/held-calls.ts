import type { ChatChunk, Step, ToolCall, ToolCallDelta } from '@sluice/contract'

type Steps = readonly Step<ChatChunk>[]
type Choice = ChatChunk['choices'][number]

/** A change of the calls of a response, of which some must be complete before they can be changed. */
export interface CallChange {
  /** Whether a call of the tool with this name, as the target knows it, must be complete. */
  waits(name: string): boolean
  /** A piece of a call that need not be complete. */
  passed(piece: ToolCallDelta): ToolCallDelta
  /** What a call becomes: its first piece, and the text of all pieces. */
  whole(first: ToolCallDelta, text: string): readonly (ToolCall | ToolCallDelta)[]
}

/** A call that is held back because it must be complete, or because it came after one, so that calls keep their order. */
interface HeldCall {
  readonly first: ToolCallDelta
  text: string
}

/** Changes the calls in the steps of one stream. */
export class HeldCalls {
  readonly #change: CallChange
  /** By choice and slot, in the order in which they began. */
  readonly #held = new Map<number, Map<number, HeldCall>>()
  #last: ChatChunk | undefined

  constructor(change: CallChange) {
    this.#change = change
  }

  read(steps: Steps): Steps {
    return steps.map((step) => ('event' in step ? this.#readChunk(step) : step))
  }

  /** Called once after the last step. Returns what was still held back. */
  end(): Steps {
    const chunk = this.#last
    if (chunk === undefined || this.#held.size === 0) return []
    const choices = [...this.#held.keys()].map((index) => ({
      index,
      delta: { tool_calls: this.#released(index) },
      finish_reason: null,
    }))
    return [{ event: { ...chunk, choices } }]
  }

  #readChunk(step: { readonly event: ChatChunk }): Step<ChatChunk> {
    const { event } = step
    const concerns = event.choices.some(
      ({ index, delta, finish_reason: reason }) =>
        delta.tool_calls !== undefined || (reason !== null && this.#held.has(index)),
    )
    if (!concerns) return step
    this.#last = event
    return { event: { ...event, choices: event.choices.map((choice) => this.#choice(choice)) } }
  }

  #choice(choice: Choice): Choice {
    const { index, finish_reason: reason } = choice
    const { tool_calls: calls = [], ...delta } = choice.delta
    const pieces = calls
      .filter((piece) => !this.#holds(index, piece))
      .map((piece) => this.#change.passed(piece))
    if (reason !== null) pieces.push(...this.#released(index))
    return { ...choice, delta: pieces.length === 0 ? delta : { ...delta, tool_calls: pieces } }
  }

  /** Whether the piece is held back. */
  #holds(choice: number, piece: ToolCallDelta): boolean {
    const held = this.#held.get(choice)
    const open = held?.get(piece.index)
    if (open !== undefined) {
      open.text += textIn(piece)
      return true
    }
    const name = piece.function?.name ?? piece.custom?.name
    if (name === undefined || (held === undefined && !this.#change.waits(name))) return false
    const slots = held ?? new Map<number, HeldCall>()
    this.#held.set(choice, slots)
    slots.set(piece.index, { first: piece, text: textIn(piece) })
    return true
  }

  #released(choice: number): ToolCallDelta[] {
    const held = this.#held.get(choice)
    this.#held.delete(choice)
    const [first = 0] = held?.keys() ?? []
    return [...(held?.values() ?? [])]
      .flatMap((call) => this.#change.whole(call.first, call.text))
      .map((call, place) => ({ ...call, index: first + place }))
  }
}

function textIn({ function: called, custom }: ToolCallDelta): string {
  return called?.arguments ?? custom?.input ?? ''
}
