import { type Fields, isObject, listOf, objectOf, someText, textOf } from '@sluice/contract'
import { argumentsText, mayBeNone } from '../../call-arguments.ts'

// Corrects calls of tools without parameters in bodies that are sent unchanged otherwise: models write no arguments or `null`,
// which must be `{}` (vercel/ai#4755, langchain-ai/langchain#33896).

/** A key and its value as they appear in JSON. Inside a string their quotes would be escaped. */
const noArguments = /"arguments"\s*:\s*"\s*(?:null)?\s*"/g

/** The JSON of a history with `{}` for arguments that a model left out. */
export function mendedBytes(body: Uint8Array): Uint8Array {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')
  return Buffer.from(text.replace(noArguments, '"arguments":"{}"'), 'latin1')
}

/** Whether a call has the arguments of a model that left them out. */
export function lacksArguments(call: unknown): boolean {
  return isNone(objectOf(objectOf(call)['function'])['arguments'])
}

/** Whether the arguments of a call are those of a model that left them out. */
export function isNone(text: unknown): boolean {
  return typeof text === 'string' && text.length < longestNone && argumentsText(text) !== text
}

/** `null` and some white space around it. Longer arguments need not be trimmed. */
export const longestNone = 32

/** The same for a whole response. */
export function mendedAnswer(body: Fields): Fields | undefined {
  const choices = listOf(body['choices'])
  const isLacking = choices.some((choice) => {
    const { message, finish_reason: reason } = objectOf(choice)
    return reason !== 'length' && listOf(objectOf(message)['tool_calls']).some(lacksArguments)
  })
  if (!isLacking) return undefined
  return {
    ...body,
    choices: choices.map((choice) => {
      const { message, ...rest } = objectOf(choice)
      const calls = listOf(objectOf(message)['tool_calls']).map(withArguments)
      return calls.length === 0
        ? choice
        : { ...rest, message: { ...objectOf(message), tool_calls: calls } }
    }),
  }
}

function withArguments(call: unknown): unknown {
  if (!lacksArguments(call) || !isObject(call)) return call
  const called = objectOf(call['function'])
  return { ...call, function: { ...called, arguments: '{}' } }
}

/** The calls of one stream whose arguments have not begun. */
export class StreamedArguments {
  /** By choice and slot: the arguments received so far. */
  readonly #received = new Map<unknown, Map<unknown, string>>()

  /** Whether the arguments of all these calls have begun, so that nothing more is held back. */
  haveBegun(choices: readonly number[], indexes: readonly number[]): boolean {
    return indexes.every((index) =>
      choices.every((choice) => !mayBeNone(this.#received.get(choice)?.get(index) ?? '')),
    )
  }

  /**
   * The choice of a chunk, with `{}` added where a call ends without arguments and `null` removed; the same choice if it needs no
   * change.
   */
  mend(choice: Fields): Fields {
    const { index = 0, delta, finish_reason: reason } = choice
    const pieces = listOf(objectOf(delta)['tool_calls'])
    const corrected = pieces.map((piece) => this.#mendPiece(index, piece))
    const rest = someText(reason) === undefined ? [] : this.#restOf(index, reason)
    if (rest.length === 0 && corrected.every((piece, at) => piece === pieces[at])) return choice
    return { ...choice, delta: { ...objectOf(delta), tool_calls: [...corrected, ...rest] } }
  }

  #mendPiece(choice: unknown, piece: unknown): unknown {
    if (!isObject(piece) || !isObject(piece['function'])) return piece
    const slots = this.#received.get(choice) ?? new Map<unknown, string>()
    this.#received.set(choice, slots)
    const slot = piece['index'] ?? 0
    const before = slots.get(slot) ?? ''
    const came = textOf(piece['function']['arguments'])
    if (!mayBeNone(before)) return piece
    const text = before + came
    slots.set(slot, text)
    // Text that could have become `null`, but did not, was held back until now.
    const released = mayBeNone(text) ? '' : text
    return released === came
      ? piece
      : { ...piece, function: { ...piece['function'], arguments: released } }
  }

  /** A call that a limit cut before its arguments began is not a call without arguments. */
  #restOf(choice: unknown, reason: unknown): readonly Fields[] {
    const slots = [...(this.#received.get(choice) ?? [])]
    this.#received.delete(choice)
    return slots.flatMap(([index, text]) => {
      const isNone = mayBeNone(text) && (reason !== 'length' || text.trim() === 'null')
      return isNone ? [{ index, function: { arguments: '{}' } }] : []
    })
  }
}
