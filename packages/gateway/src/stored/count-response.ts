import type { Admitted } from '../admit/admit.ts'
import { continuedBy } from '../admit/call-size.ts'
import { countOf } from '../answer/count-tokens.ts'
import type { Answer } from '../call/call.ts'
import { continuedRun, namedConversation, withStored } from './continued-run.ts'
import type { StoredParts } from './stored-parts.ts'

/** POST /v1/responses/input_tokens: counts what a response would read, with the conversation that the request continues. */
export async function countResponse(gateway: StoredParts, admitted: Admitted): Promise<Answer> {
  const { asked, answering } = await continuedRun(
    gateway,
    admitted,
    await namedConversation(gateway, admitted),
  )
  const previousId = continuedBy(asked)
  if (answering.call !== asked || previousId === undefined) return countOf(answering)
  return countOf(answering, async () => {
    // The upstream has the conversation, and here is a copy.
    const stored = await gateway.store.findResponse(previousId)
    return stored?.keyId === asked.key.id ? withStored(answering, stored) : answering
  })
}
