import { GatewayError, objectOf } from '@sluice/contract'
import { inputItems } from '@sluice/protocols/openai-responses/client/history.ts'
import type { OutputItem } from '@sluice/protocols/openai-responses/client/schema.ts'
import { madeByResponse, sealedIn } from '@sluice/protocols/openai-responses/upstream/named.ts'
import { answerOf, begin } from '../answer/answer.ts'
import type { Keep } from '../answer/pieces.ts'
import type { BegunResponse } from '../attempt/attempt.ts'
import { hasChoice } from '../attempt/receive-answer.ts'
import { rememberMade } from '../attempt/named-ids.ts'
import type { Answer, Call } from '../call/call.ts'
import { formatLargeJson, isLargeJson } from '../turns/format-large.ts'
import type { StoredParts } from './stored-parts.ts'
import type { Admitted } from '../admit/admit.ts'
import { continuedBy } from '../admit/call-size.ts'
import type { CallRun } from '../attempt/call-run.ts'
import { turn as nextTurn } from '../turns/turn.ts'
import { continuedRun, namedConversation, requestOf } from './continued-run.ts'
import { beginTurn, type ConversationTurn, duringTurn, endTurn } from './conversation-turn.ts'

/** Larger requests and responses are not stored, because every continuation would read them again. */
const storedBytesMax = 16 * 1024 * 1024

/**
 * POST /v1/responses with state: prepends the conversation that the request continues and stores the response
 * unless `store` is false. If the upstream created the earlier response itself, the upstream continues it.
 */
export async function createResponse(gateway: StoredParts, admitted: Admitted): Promise<Answer> {
  const { call } = admitted
  const request = requestOf(call)
  const requestBytesMax = Math.min(storedBytesMax, gateway.current.limits.keptResponses.bytes)
  if (request.store !== false && call.held.bytes > requestBytesMax)
    throw new GatewayError(
      'too_large',
      `A request of more than ${requestBytesMax} bytes is not kept: send it with store: false`,
      { param: 'store' },
    )
  const conversation = await namedConversation(gateway, admitted)
  if (!conversation) return responseIn(gateway, admitted)
  const turn = await beginTurn(gateway, conversation, inputItems(request, gateway.newId))
  return duringTurn(turn, () => responseIn(gateway, admitted, turn))
}

async function responseIn(
  gateway: StoredParts,
  admitted: Admitted,
  turn?: ConversationTurn,
): Promise<Answer> {
  const { call } = admitted
  const request = requestOf(call)
  const { asked, answering } = await continuedRun(gateway, admitted, turn?.conversation)
  const begun = await begin(answering)
  const keep = request.store === false ? keepSealed(answering, begun) : keepResponse()
  if (!turn) return answerOf(answering, begun, keep)
  const account = isOfUpstream(begun) ? begun.attempt.account : undefined
  return answerOf(answering, begun, async (document) => {
    await endTurn(answering, turn, { document, account })
    await keep?.(document)
    // Before the caller sees the end, because the next request may follow at once.
    await turn.lock.release()
  })

  function keepResponse(): Keep {
    const stored = {
      call,
      previousId: continuedBy(call),
      // Without the conversation, which goes on, a response could not be continued by its id.
      own: inputItems(turn ? requestOf(answering.call) : request, gateway.newId),
      // An upstream that received the previous id knows the response by its own id.
      isOurs: answering.call !== asked || !isOfUpstream(begun),
      account: begun.attempt.account,
    }
    return (document) => storeResponse(gateway, stored, document)
  }
}

/**
 * POST /v1/responses/compact: returns a shortened conversation. Nothing is stored; the caller sends the result from
 * then on.
 */
export async function compactResponse(gateway: StoredParts, admitted: Admitted): Promise<Answer> {
  const { answering } = await continuedRun(gateway, admitted)
  // The result covers the whole conversation, not only what the caller sent in this request.
  const { written: _, ...whole } = answering.call
  return answerOf({ ...answering, call: whole }, await begin(answering))
}

/** What keeps which account made the encrypted items of a response, if the call could have been sent to others. */
function keepSealed(run: CallRun<StoredParts>, begun: BegunResponse): Keep | undefined {
  const { account } = begun.attempt
  if (!hasChoice(run.route) || account === undefined || !isOfUpstream(begun)) return undefined
  return async (document) => {
    const sealed = sealedIn(objectOf(document)['output'])
    if (sealed.length > 0) await rememberMade(run, sealed, account)
  }
}

interface ResponseToStore {
  readonly call: Call
  readonly previousId: string | undefined
  /** As the caller sent it. */
  readonly own: readonly OutputItem[]
  /** False if the upstream created the response under its own id. */
  readonly isOurs: boolean
  /** With which account of the upstream; undefined for the built-in engine. */
  readonly account: string | undefined
}

/** Stores a copy of the response. A failure does not affect the caller: an upstream may use the same id twice. */
async function storeResponse(
  gateway: StoredParts,
  stored: ResponseToStore,
  document: unknown,
): Promise<void> {
  try {
    await addResponse(gateway, stored, document)
  } catch (thrown) {
    const { code } = GatewayError.from(thrown)
    gateway.log.warn({ call: stored.call.id, code }, 'a response could not be stored')
  }
}

async function addResponse(
  gateway: StoredParts,
  { call, previousId, own, isOurs, account }: ResponseToStore,
  document: unknown,
) {
  const { id, output } = objectOf(document)
  if (typeof id !== 'string' || !Array.isArray(output)) return
  const { provider } = call.trail
  const response = {
    id,
    keyId: call.key.id,
    createdAt: Math.floor(gateway.now() / 1000),
    ...(previousId !== undefined && { previousResponseId: previousId }),
    ...(!isOurs && provider !== undefined && { provider }),
    ...(!isOurs && account !== undefined && { account }),
    response: await textOf(document),
    input: await textOf(own),
  }
  await gateway.store.addResponse(
    response,
    isOurs ? [] : [...madeByResponse(id, output), ...sealedIn(output)],
  )
  await gateway.storageQuota.responseAdded(response)
}

/** Throws `too_large` before a text is made that is not kept. */
async function textOf(value: unknown): Promise<string> {
  if (!isLargeJson(value)) return JSON.stringify(value)
  const bytes = await formatLargeJson(value)
  if (bytes.length > storedBytesMax)
    throw new GatewayError('too_large', 'The response is larger than what is kept')
  await nextTurn()
  return bytes.toString()
}

/** Whether the upstream answered in this format and therefore knows the response by its id. */
function isOfUpstream({ answer: { kind } }: BegunResponse): boolean {
  return kind === 'native' || kind === 'passed'
}
