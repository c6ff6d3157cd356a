import type { ChatChunk, ChatReply, FinishReason, Step, ToolCallDelta } from '@sluice/contract'
import { assertBounded } from './bounded.ts'
import { argumentsText, mayBeNone } from './call-arguments.ts'
import { ObjectProgress } from './object-progress.ts'
import type { StreamCodec } from './protocol.ts'

type Steps = readonly Step<ChatChunk>[]
type Choice = ChatChunk['choices'][number]

/**
 * A reader whose calls always have an object as arguments. If the upstream gives no arguments, or `null`, they become `{}`. If
 * it ends within the arguments, the response counts as cut, whatever its finish reason is.
 */
export function wholeCalls(create: StreamCodec<'chat'>['reader']): StreamCodec<'chat'>['reader'] {
  return (context, request) => {
    const inner = create(context, request)
    const calls = new CallArguments()
    return {
      read: (event) => calls.complete(inner.read(event)),
      end: () => calls.complete(inner.end()),
    }
  }
}

/** The arguments of the calls of one stream, while it is unknown whether there are any. */
export class CallArguments {
  /** By choice and slot: the text held back. Undefined once a call's arguments have begun. */
  readonly #pending = new Map<number, Map<number, string | undefined>>()
  readonly #progress = new Map<number, Map<number, ObjectProgress>>()

  #count = 0

  /** Usually returns the same steps, with `{}` for the arguments of calls that end without any. */
  complete(steps: Steps): Steps {
    for (const step of steps)
      if (concernsCalls(step) && !this.#isMore(step))
        return steps.flatMap((one) => this.#completeStep(one))
    return this.#followed(steps)
  }

  /** Whether a step only adds to arguments that have begun. */
  #isMore(step: Step<ChatChunk>): boolean {
    if (!('event' in step)) return false
    for (const { index, delta, finish_reason: reason } of step.event.choices) {
      if (reason !== null) return false
      for (const piece of delta.tool_calls ?? [])
        if (piece.function !== undefined && !this.#hasBegun(index, piece.index)) return false
    }
    return true
  }

  #hasBegun(choice: number, slot: number): boolean {
    const slots = this.#pending.get(choice)
    return slots?.has(slot) === true && slots.get(slot) === undefined
  }

  #followed(steps: Steps): Steps {
    for (const step of steps)
      if ('event' in step) for (const choice of step.event.choices) this.#follow(choice)
    return steps
  }

  #completeStep(step: Step<ChatChunk>): Steps {
    if (!('event' in step)) return [step]
    const { event } = step
    const ended = event.choices.flatMap((choice) => this.#endOf(choice))
    const choices = event.choices
      .map((choice) => this.#completeChoice(choice))
      .map((choice) => this.#cutChoice(choice))
    const changed = { event: { ...event, choices } }
    return ended.length === 0 ? [changed] : [{ event: { ...event, choices: ended } }, changed]
  }

  #completeChoice(choice: Choice): Choice {
    const pieces = choice.delta.tool_calls
    if (pieces === undefined) return choice
    const completed = pieces.flatMap((piece) => this.#completePiece(choice.index, piece))
    return { ...choice, delta: { ...choice.delta, tool_calls: completed } }
  }

  #cutChoice(choice: Choice): Choice {
    this.#follow(choice)
    if (!isWhole(choice.finish_reason)) return choice
    const progress = this.#progress.get(choice.index)?.values() ?? []
    return [...progress].some((one) => one.isOpen) ? { ...choice, finish_reason: 'length' } : choice
  }

  #follow({ index: choice, delta }: Choice): void {
    if (!delta.tool_calls) return
    const progress = this.#progress.get(choice) ?? new Map<number, ObjectProgress>()
    this.#progress.set(choice, progress)
    for (const { index, function: called } of delta.tool_calls) {
      const one = progress.get(index) ?? new ObjectProgress()
      one.add(called?.arguments ?? '')
      progress.set(index, one)
    }
  }

  #completePiece(choice: number, piece: ToolCallDelta): readonly ToolCallDelta[] {
    const { function: called, index } = piece
    if (called === undefined) return [piece]
    const slots = this.#pending.get(choice) ?? new Map<number, string | undefined>()
    this.#pending.set(choice, slots)
    if (this.#hasBegun(choice, index)) return [piece]
    const text = (slots.get(index) ?? '') + (called.arguments ?? '')
    const isKept = mayBeNone(text)
    if (!slots.has(index)) assertBounded((this.#count += 1), 'calls')
    slots.set(index, isKept ? text : undefined)
    return [{ ...piece, function: { ...called, arguments: isKept ? '' : text } }]
  }

  /** The remaining pieces for the calls of a choice that ends. */
  #endOf({ index, finish_reason: reason }: Choice): readonly Choice[] {
    const slots = this.#pending.get(index)
    if (reason === null || slots === undefined) return []
    this.#pending.delete(index)
    const rest = [...slots].flatMap(([slot, kept]) => {
      const text = kept === undefined ? '' : restOf(kept, reason)
      return text === '' ? [] : [{ index: slot, function: { arguments: text } }]
    })
    if (rest.length === 0) return []
    return [{ index, delta: { tool_calls: rest }, finish_reason: null, logprobs: null }]
  }
}

/**
 * Some servers report calls as complete although their limit cut them, and nobody may act on half of a call's arguments
 * (NousResearch/hermes-agent#7693, earendil-works/pi#6284). Other arguments that are not JSON were written so by the model.
 */
export function withCutCalls(reply: ChatReply): ChatReply {
  const isCut = (choice: ChatReply['choices'][number]) =>
    isWhole(choice.finish_reason) &&
    choice.message.tool_calls?.some(({ function: called }) => endsOpen(called?.arguments ?? ''))
  const cut = new Set(reply.choices.filter(isCut))
  if (cut.size === 0) return reply
  return {
    ...reply,
    choices: reply.choices.map((choice) =>
      cut.has(choice) ? { ...choice, finish_reason: 'length' } : choice,
    ),
  }
}

function isWhole(reason: FinishReason | null): boolean {
  return reason === 'stop' || reason === 'tool_calls'
}

function endsOpen(text: string): boolean {
  const progress = new ObjectProgress()
  progress.add(text)
  return progress.isOpen
}

/** A call that a limit cut before its arguments began is not a call without arguments. */
function restOf(kept: string, reason: FinishReason): string {
  return reason === 'length' && kept.trim() !== 'null' ? kept : argumentsText(kept)
}

function concernsCalls(step: Step<ChatChunk>): boolean {
  if (!('event' in step)) return false
  for (const { delta, finish_reason: reason } of step.event.choices)
    if (delta.tool_calls !== undefined || reason !== null) return true
  return false
}
