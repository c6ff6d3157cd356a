import { GatewayError, invalidRequest, JsonSurvey, objectOf, parseJson } from '@sluice/contract'
import {
  inputItems,
  madeByResponse,
  type ResponsesRequest,
  referredResponses,
  responseNotFound,
  sinceCompaction,
  withHistory,
  withReferences,
} from '@sluice/protocols'
import type { ApiKey } from '../ports/api-key.ts'
import type { StoredResponse } from '../ports/store.ts'
import { answerOf, begin, openRun } from '../answer/answer.ts'
import type { BegunResponse } from '../attempt/attempt.ts'
import { nativeOf } from '../attempt/prepare.ts'
import type { Answer, Call } from '../call/call.ts'
import { CallRequest } from '../call/call-request.ts'
import { formatLargeJson, isLargeJson } from '../turns/format-large.ts'
import type { StoredParts } from './stored-parts.ts'
import type { Admitted } from '../admit/admit.ts'
import { continuedBy } from '../admit/call-size.ts'
import type { HeldBytes } from '../call/held-bytes.ts'
import { type CallRun, withCall } from '../attempt/call-run.ts'
import { turn } from '../turns/turn.ts'
import { findKept } from '../admit/continued-response.ts'
import { checkNamedIds, checkPreviousId } from './upstream-ids.ts'

type Items = ReturnType<typeof inputItems>

/** Longer conversations are refused. OpenAI's own models would not fit half of this. */
const chainMax = 1_000
/**
 * Limits on the history prepended to a request, in UTF-16 units and in JsonSurvey units. Similar to the limits of a
 * request.
 */
const chainLengthMax = 32 * 1024 * 1024
const chainUnitsMax = 500_000
/** Larger requests and responses are not stored, because every continuation would read them again. */
const keptBytesMax = 16 * 1024 * 1024

/**
 * POST /v1/responses with state: prepends the conversation that the request continues and stores the response
 * unless `store` is false. If the upstream created the earlier response itself, the upstream continues it.
 */
export async function createResponse(gateway: StoredParts, admitted: Admitted): Promise<Answer> {
  const { call } = admitted
  const request = requestOf(call)
  const requestBytesMax = Math.min(keptBytesMax, gateway.current.limits.keptResponses.bytes)
  if (request.store !== false && call.held.bytes > requestBytesMax)
    throw new GatewayError(
      'too_large',
      `A request of more than ${requestBytesMax} bytes is not kept: send it with store: false`,
      { param: 'store' },
    )
  const { asked, answering } = await continuedRun(gateway, admitted)
  const begun = await begin(answering)
  if (request.store === false) return answerOf(answering, begun)
  const kept = {
    call,
    previousId: continuedBy(call),
    own: inputItems(request, gateway.newId),
    // An upstream that received the previous id knows the response by its own id.
    isOurs: answering.call !== asked || !isOfUpstream(begun),
  }
  return answerOf(answering, begun, (document) => keep(gateway, kept, document))
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

/** The call as the caller sent it (`asked`), and the run with the earlier conversation prepended. */
async function continuedRun(
  gateway: StoredParts,
  admitted: Admitted,
): Promise<{ readonly asked: Call; readonly answering: CallRun<StoredParts> }> {
  const asked = await withReferred(gateway, admitted.call)
  const run = withCall(openRun(gateway, admitted), asked)
  await checkNamedIds(run)
  const previousId = continuedBy(asked)
  const continued = previousId === undefined ? asked : await withPrevious(run, previousId)
  return { asked, answering: continued === asked ? run : withCall(run, continued) }
}

/** The request as the schema of the operation has validated it. */
function requestOf({ request }: Call): ResponsesRequest {
  return request.value as ResponsesRequest
}

/** Replaces references to items of stored responses with the items. Other references are left to the upstream. */
async function withReferred(gateway: StoredParts, call: Call): Promise<Call> {
  const ids = referredResponses(requestOf(call))
  if (ids.length === 0) return call
  if (ids.length > chainMax)
    throw invalidRequest(`The input refers to more than ${chainMax} responses`, 'input')
  const reader = new KeptReader(call.held, 'input')
  const items: Items[number][] = []
  for (const id of ids) {
    const stored = await gateway.store.findResponse(id)
    if (stored?.keyId === call.key.id) items.push(...(await reader.output(stored)))
  }
  if (items.length === 0) return call
  return continuedWith(call, withReferences(requestOf(call), items))
}

function continuedWith(call: Call, request: ResponsesRequest): Call {
  const parts = { fields: request, raw: Buffer.from(JSON.stringify(request)), isOwn: false }
  const written = call.written ?? call.request.value
  return { ...call, request: new CallRequest(request, parts), written }
}

async function withPrevious(run: CallRun<StoredParts>, id: string): Promise<Call> {
  const { gateway, call, route } = run
  const target = route.levels[0]?.[0]
  const isNative = target?.kind === 'upstream' && nativeOf(gateway, call, target) !== undefined
  const stored = await findKept(gateway.store, call, id)
  const isOurs = stored?.keyId === call.key.id
  // The upstream would return it, because all keys share the gateway's account there.
  if (stored && !isOurs) throw responseNotFound(id)
  if (isNative && stored?.provider === target.providerId) return call
  if (!stored) {
    if (!isNative) throw responseNotFound(id)
    // An upstream with its own storage may know an id that is unknown here.
    await checkPreviousId(run, target, id)
    return call
  }
  return continuedWith(call, withHistory(requestOf(call), await history(run, stored)))
}

/** All items of the conversation, inputs and outputs, oldest first. */
async function history(
  { gateway, call }: CallRun<StoredParts>,
  last: StoredResponse,
): Promise<Items> {
  const reader = new KeptReader(call.held, call.format.continues)
  const chain: Items[number][][] = []
  let current: StoredResponse | undefined = last
  while (current) {
    const input = (await reader.read(current.input)) as Items
    chain.push([...input, ...(await reader.output(current))])
    if (chain.length > chainMax) throw tooLong(call.format.continues)
    const before: string | undefined = current.previousResponseId
    current = before === undefined ? undefined : await gateway.store.findResponse(before)
    if (before !== undefined && current?.keyId !== last.keyId) throw responseNotFound(before)
  }
  return sinceCompaction(chain.toReversed().flat())
}

/** Reads stored items within the limits for one request. Each text is parsed in its own turn of the event loop. */
class KeptReader {
  readonly #held: HeldBytes
  readonly #param: string
  #length = 0
  #units = 0

  constructor(held: HeldBytes, param: string) {
    this.#held = held
    this.#param = param
  }

  async output({ response }: StoredResponse): Promise<Items> {
    return ((await this.read(response)) as { readonly output: Items }).output
  }

  async read(text: string): Promise<unknown> {
    this.#length += text.length
    if (this.#length > chainLengthMax) throw tooLong(this.#param)
    this.#held.add(text.length)
    await turn()
    const survey = new JsonSurvey(Buffer.from(text), Number.POSITIVE_INFINITY)
    while (!survey.isDone) survey.advance(text.length)
    this.#units += survey.units
    if (this.#units > chainUnitsMax) throw tooLong(this.#param)
    return parseJson(text)
  }
}

function tooLong(param: string): GatewayError {
  return new GatewayError('context_length_exceeded', 'The conversation is too long', { param })
}

interface ResponseToStore {
  readonly call: Call
  readonly previousId: string | undefined
  /** As the caller sent it. */
  readonly own: Items
  /** False if the upstream created the response under its own id. */
  readonly isOurs: boolean
}

/** Stores a copy of the response. A failure does not affect the caller: an upstream may use the same id twice. */
async function keep(gateway: StoredParts, kept: ResponseToStore, document: unknown): Promise<void> {
  try {
    await add(gateway, kept, document)
  } catch (thrown) {
    const { code } = GatewayError.from(thrown)
    gateway.log.warn({ call: kept.call.id, code }, 'a response could not be stored')
  }
}

async function add(
  gateway: StoredParts,
  { call, previousId, own, isOurs }: ResponseToStore,
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
    response: await textOf(document),
    input: await textOf(own),
  }
  await gateway.store.addResponse(response, isOurs ? [] : madeByResponse(id, output))
  await gateway.keptRoom.responseAdded(response)
}

/** Throws `too_large` before a text is made that is not kept. */
async function textOf(value: unknown): Promise<string> {
  if (!isLargeJson(value)) return JSON.stringify(value)
  const bytes = await formatLargeJson(value)
  if (bytes.length > keptBytesMax)
    throw new GatewayError('too_large', 'The response is larger than what is kept')
  await turn()
  return bytes.toString()
}

/** Whether the upstream answered in this format and therefore knows the response by its id. */
function isOfUpstream({ answer: { kind } }: BegunResponse): boolean {
  return kind === 'native' || kind === 'passed'
}

/** Finds a response of this key. A response of another key is reported as not found. */
export async function findResponse(
  gateway: StoredParts,
  key: ApiKey,
  id: string,
): Promise<StoredResponse> {
  const stored = await gateway.store.findResponse(id)
  if (stored?.keyId === key.id) return stored
  throw new GatewayError('not_found', `Response with id '${id.slice(0, 100)}' not found.`, {
    param: 'response_id',
  })
}
