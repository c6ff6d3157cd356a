import type { ChatChunk, Step } from '@sluice/contract'
import { fitTools, type ToolChanges } from '@sluice/protocols/tools/fit-tools.ts'
import { createCallRestorer, restoredReply } from '@sluice/protocols/tools/restore-calls.ts'
import { usualNames } from '@sluice/protocols/tools/tool-names.ts'
import type { AiSdkOperation } from './context.ts'

/** Wraps a chat so that it sees only functions, with names that every provider accepts. */
export function withFittedTools(chat: AiSdkOperation<'chat'>): AiSdkOperation<'chat'> {
  return async (request, context) => {
    const { target: family, leftOut } = context
    const { request: fitted, changes } = fitTools(request, usualNames, { family, leftOut })
    const result = await chat(fitted, context)
    if (changes === undefined || result.kind === 'bytes') return result
    return result.kind === 'reply'
      ? { ...result, reply: restoredReply(result.reply, changes) }
      : { kind: 'events', events: restoredEvents(result.events, changes) }
  }
}

async function* restoredEvents(
  events: AsyncIterable<Step<ChatChunk>>,
  changes: ToolChanges,
): AsyncGenerator<Step<ChatChunk>> {
  const restorer = createCallRestorer(changes)
  for await (const step of events) yield* restorer.read([step])
  yield* restorer.end()
}
