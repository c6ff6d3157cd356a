import type { ChatChunk, ChatReply, Step, ToolCall, ToolCallDelta } from '@sluice/contract'
import { customInput } from './custom-tools.ts'
import type { ToolChanges } from './fit-tools.ts'

/** The response with the calls under the caller's names of the tools. */
export function restoredReply(reply: ChatReply, changes: ToolChanges): ChatReply {
  return {
    ...reply,
    choices: reply.choices.map((choice) => {
      const { tool_calls: calls } = choice.message
      if (calls === undefined) return choice
      const restored = calls.map((call) => restoredCall(call, changes))
      return { ...choice, message: { ...choice.message, tool_calls: restored } }
    }),
  }
}

function restoredCall(call: ToolCall, { original, customs }: ToolChanges): ToolCall {
  const { function: called, custom, ...rest } = call
  if (called === undefined)
    return custom === undefined
      ? call
      : { ...call, custom: { ...custom, name: original(custom.name) } }
  const name = original(called.name)
  if (!customs.has(called.name)) return { ...call, function: { ...called, name } }
  return { ...rest, type: 'custom', custom: { name, input: customInput(called.arguments) } }
}

/** Restores the calls in the steps of a stream. */
export interface CallRestorer {
  read(steps: readonly Step<ChatChunk>[]): readonly Step<ChatChunk>[]
  /** Called once after the last step. Returns what was still held back. */
  end(): readonly Step<ChatChunk>[]
}

/**
 * A streamed call of a free-form tool, whose text is known only when its arguments are complete, or a call that came after
 * one.
 */
interface PendingCall {
  readonly first: ToolCallDelta
  readonly name: string
  readonly isCustom: boolean
  text: string
}

export function createCallRestorer(changes: ToolChanges): CallRestorer {
  const pending = new Map<string, PendingCall>()
  let last: ChatChunk | undefined

  /** The pieces to send for one piece: none while a free-form call is incomplete, so that calls keep their order. */
  function pieceOf(piece: ToolCallDelta, choice: number): readonly ToolCallDelta[] {
    const place = `${choice}/${piece.index}`
    const open = pending.get(place)
    const { name, arguments: text = '' } = piece.function ?? {}
    if (open !== undefined) {
      open.text += text
      return []
    }
    if (name === undefined) return [piece.custom === undefined ? piece : renamedCustom(piece)]
    const named = changes.original(name)
    const isCustom = changes.customs.has(name)
    if (!isCustom && pending.size === 0)
      return [{ ...piece, function: { ...piece.function, name: named } }]
    pending.set(place, { first: piece, name: named, isCustom, text })
    return []
  }

  function renamedCustom(piece: ToolCallDelta): ToolCallDelta {
    const { name, ...rest } = piece.custom ?? {}
    if (name === undefined) return piece
    return { ...piece, custom: { ...rest, name: changes.original(name) } }
  }

  /** The calls that a choice held back, now complete. */
  function released(choice: number): readonly ToolCallDelta[] {
    const places = [...pending.keys()].filter((place) => place.startsWith(`${choice}/`))
    return places.flatMap((place) => {
      const open = pending.get(place)
      pending.delete(place)
      return open === undefined ? [] : [wholeDelta(open)]
    })
  }

  function readChunk(chunk: ChatChunk): ChatChunk {
    if (chunk.choices.length > 0) last = chunk
    return {
      ...chunk,
      choices: chunk.choices.map((choice) => {
        const { tool_calls: calls, ...delta } = choice.delta
        const pieces = (calls ?? []).flatMap((piece) => pieceOf(piece, choice.index))
        const whole = choice.finish_reason === null ? [] : released(choice.index)
        const restored = [...pieces, ...whole]
        return {
          ...choice,
          delta: restored.length === 0 ? delta : { ...delta, tool_calls: restored },
        }
      }),
    }
  }

  return {
    read: (steps) =>
      steps.map((step) => ('event' in step ? { event: readChunk(step.event) } : step)),
    end() {
      const chunk = last
      if (chunk === undefined || pending.size === 0) return []
      const choices = chunk.choices.map(({ index }) => ({
        index,
        delta: { tool_calls: [...released(index)] },
        finish_reason: null,
      }))
      return [{ event: { ...chunk, choices } }]
    },
  }
}

function wholeDelta({ first, name, isCustom, text }: PendingCall): ToolCallDelta {
  const { function: called, ...rest } = first
  if (!isCustom) return { ...rest, function: { ...called, name, arguments: text } }
  return { ...rest, type: 'custom', custom: { name, input: customInput(text) } }
}
