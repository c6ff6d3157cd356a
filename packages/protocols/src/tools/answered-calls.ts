import type { ChatRequest, Message } from '@sluice/contract'
import type { CodecContext } from '../protocol.ts'

/** Used for a result that the caller did not give. Every target rejects a call without a result. */
const noResult = 'No result was given.'

/** A message of the conversation as it is sent, and its index in the caller's request. */
interface Placed {
  readonly message: Message
  readonly at: number
}

/**
 * The request with results directly after their calls, as every target requires, and with a result for each call that has none
 * (because the user interrupted). The returned `context` reports paths as the caller knows them. Usually the messages are in
 * order and the request is returned unchanged.
 */
export function withAnsweredCalls(
  request: ChatRequest,
  context: CodecContext,
): { readonly request: ChatRequest; readonly context: CodecContext } {
  const { messages } = request
  if (isInOrder(messages)) return { request, context }
  const placed = ordered(messages, (path) =>
    context.leftOut(path, 'This call has no result in the conversation, so that one says so'),
  )
  const given = (param: string) =>
    param.replace(/^messages\[(\d+)\]/, (whole, index: string) => {
      const at = placed[Number(index)]?.at
      return at === undefined ? whole : `messages[${at}]`
    })
  return {
    request: { ...request, messages: placed.map(({ message }) => message) },
    context: {
      ...context,
      leftOut: (param, reason) => context.leftOut(given(param), reason),
      unsupported: (param, reason) => context.unsupported(given(param), reason),
    },
  }
}

function isInOrder(messages: readonly Message[]): boolean {
  let open = 0
  for (const { role, tool_calls: calls } of messages) {
    if (role === 'tool') open -= 1
    else if (open !== 0) return false
    else open = calls?.length ?? 0
  }
  return open === 0
}

function ordered(messages: readonly Message[], lacking: (path: string) => void): readonly Placed[] {
  const results = resultsByCall(messages)
  return messages.flatMap((message, at): readonly Placed[] => {
    if (message.role === 'tool') return []
    const calls = message.tool_calls ?? []
    const byId = Map.groupBy(results.get(at) ?? [], (one) => one.message.tool_call_id)
    return [
      { message, at },
      ...calls.flatMap(({ id }, index): readonly Placed[] => {
        const found = byId.get(id) ?? []
        if (found.length > 0) return found
        lacking(`messages[${at}].tool_calls[${index}]`)
        return [{ message: { role: 'tool', tool_call_id: id, content: noResult }, at }]
      }),
    ]
  })
}

/** The results by the index of the message with their calls. Ids may be used again in a later turn. */
function resultsByCall(messages: readonly Message[]): ReadonlyMap<number, readonly Placed[]> {
  const callers = new Map<string, number>()
  const results = new Map<number, Placed[]>()
  for (const [at, message] of messages.entries()) {
    for (const { id } of message.tool_calls ?? []) callers.set(id, at)
    const caller = message.role === 'tool' ? callers.get(message.tool_call_id ?? '') : undefined
    if (caller === undefined) continue
    const known = results.get(caller) ?? []
    known.push({ message, at })
    results.set(caller, known)
  }
  return results
}
