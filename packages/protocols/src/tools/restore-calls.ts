import type { ChatReply, ToolCall } from '@sluice/contract'
import { customInput } from './custom-tools.ts'
import type { ToolChanges } from './fit-tools.ts'
import { HeldCalls } from './held-calls.ts'

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

/** Restores the calls in the steps of a stream. The text of a free-form tool is known only when its arguments are complete. */
export function createCallRestorer({ original, customs }: ToolChanges): HeldCalls {
  return new HeldCalls({
    waits: (name) => customs.has(name),
    passed(piece) {
      const { function: called, custom } = piece
      if (called?.name !== undefined)
        return { ...piece, function: { ...called, name: original(called.name) } }
      if (custom?.name === undefined) return piece
      return { ...piece, custom: { ...custom, name: original(custom.name) } }
    },
    whole(first, text) {
      const { function: called, ...rest } = first
      const { name = '' } = called ?? {}
      return customs.has(name)
        ? [{ ...rest, type: 'custom', custom: { name: original(name), input: customInput(text) } }]
        : [{ ...rest, function: { ...called, name: original(name), arguments: text } }]
    },
  })
}
