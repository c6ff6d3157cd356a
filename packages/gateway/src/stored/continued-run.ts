import {
  GatewayError,
  invalidRequest,
  isObject,
  JsonSurvey,
  objectOf,
  parseJson,
} from '@sluice/contract'
import {
  referredResponses,
  responseNotFound,
  sinceCompaction,
  withHistory,
  withoutPlace,
  withReferences,
} from '@sluice/protocols/openai-responses/client/history.ts'
import {
  type OutputItem,
  type ResponsesRequest,
  withInput,
} from '@sluice/protocols/openai-responses/client/schema.ts'
import {
  namedInResponsesRequest,
  sealedIn,
} from '@sluice/protocols/openai-responses/upstream/named.ts'
import type { StoredConversation } from '../ports/conversation-store.ts'
import type { StoredResponse } from '../ports/store.ts'
import { openRun } from '../answer/answer.ts'
import type { Bound } from '../attempt/account.ts'
import { hasChoice } from '../attempt/receive-answer.ts'
import { checkNamed } from '../attempt/named-ids.ts'
import { nativeOf } from '../attempt/prepare.ts'
import { type Call, writtenBy } from '../call/call.ts'
import { CallRequest } from '../call/call-request.ts'
import { conversationNotFound } from './conversations.ts'
import type { StoredParts } from './stored-parts.ts'
import type { Admitted } from '../admit/admit.ts'
import { continuedBy } from '../admit/call-size.ts'
import type { HeldBytes } from '../call/held-bytes.ts'
import { type CallRun, withCall } from '../attempt/call-run.ts'
import { turn } from '../turns/turn.ts'
import type { UpstreamTarget } from '../route/routing.ts'
import { findKept } from '../admit/continued-response.ts'

type Items = readonly OutputItem[]

/** Longer conversations are refused. OpenAI's own models would not fit half of this. */
const conversationResponsesMax = 1_000
/**
 * Limits on the history prepended to a request, in UTF-16 units and in JsonSurvey units. Similar to the limits of a
 * request.
 */
const conversationLengthMax = 32 * 1024 * 1024
const conversationUnitsMax = 500_000

/** The call as the caller sent it (`asked`), and the run with the earlier conversation prepended. */
export async function continuedRun(
  gateway: StoredParts,
  admitted: Admitted,
  conversation?: StoredConversation,
): Promise<{ readonly asked: Call; readonly answering: CallRun<StoredParts> }> {
  const asked = await withReferred(gateway, admitted.call)
  const opened = withCall(openRun(gateway, admitted), asked)
  if (conversation) return { asked, answering: await withConversation(opened, conversation) }
  const bound = await checkNamedIds(opened)
  const run = bound ? { ...opened, bound } : opened
  const previousId = continuedBy(asked)
  if (previousId === undefined) return { asked, answering: run }
  return { asked, answering: await withPrevious(run, previousId) }
}

/**
 * The conversation that a request names; undefined if it names none, or one that an upstream may keep.
 *
 * @throws GatewayError `not_found` if nobody can know it.
 */
export async function namedConversation(
  gateway: StoredParts,
  admitted: Admitted,
): Promise<StoredConversation | undefined> {
  const { call } = admitted
  const id = call.format.conversation?.(call.request.value)
  if (id === undefined) return undefined
  const stored = await gateway.store.findConversation(id)
  if (stored?.keyId === call.key.id) return stored
  if (nativeTarget(openRun(gateway, admitted))) return undefined
  throw conversationNotFound(id, 'conversation')
}

/** The run with the items of a conversation before its request, bound to the account that knows them. */
async function withConversation(
  run: CallRun<StoredParts>,
  { id, bytes }: StoredConversation,
): Promise<CallRun<StoredParts>> {
  const { gateway, call } = run
  if (bytes > conversationLengthMax) throw tooLong('conversation')
  const reader = new StoredItemReader(call.held, 'conversation')
  const page = { limit: conversationUnitsMax, ascending: true }
  const texts = (await gateway.store.listItems(id, page)).map(({ item }) => item)
  const items = sinceCompaction(itemsIn(await reader.read(`[${texts.join(',')}]`)))
  const { conversation: _, ...request } = requestOf(call)
  const continued = withHistory(request, items)
  const whole = withCall(run, continuedWith(call, continued))
  const bound = await checkNamedIds(whole)
  if (!bound) return whole
  const providers = run.route.levels.flat().map(({ providerId }) => providerId)
  if (providers.includes(bound.provider)) return { ...whole, bound }
  return withCall(run, continuedWith(call, withoutPlace(continued)))
}

/** The request as the schema of the operation has validated it. */
export function requestOf({ request }: Call): ResponsesRequest {
  return withInput(request.value)
}

/** Replaces references to items of stored responses with the items. Other references are left to the upstream. */
async function withReferred(gateway: StoredParts, call: Call): Promise<Call> {
  const ids = referredResponses(requestOf(call))
  if (ids.length === 0) return call
  if (ids.length > conversationResponsesMax)
    throw invalidRequest(
      `The input refers to more than ${conversationResponsesMax} responses`,
      'input',
    )
  const reader = new StoredItemReader(call.held, 'input')
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
  return { ...call, request: new CallRequest(request, parts), written: writtenBy(call) }
}

async function withPrevious(run: CallRun<StoredParts>, id: string): Promise<CallRun<StoredParts>> {
  const { gateway, call } = run
  const stored = await findKept(gateway.store, call, id)
  // The upstream would return it, because all keys share the gateway's account there.
  if (stored && stored.keyId !== call.key.id) throw responseNotFound(id)
  if (!stored) {
    const target = nativeTarget(run)
    if (!target) throw responseNotFound(id)
    // An upstream with its own storage may know an id that is unknown here.
    await checkPreviousId(run, target, id)
    return { bound: { provider: target.providerId }, ...run }
  }
  const { provider, account } = stored
  if (provider !== undefined && nativeTarget(run, provider))
    return { ...run, bound: account === undefined ? { provider } : { provider, account } }
  return withStored(run, stored)
}

/** The run with the conversation of a stored response before its request. */
export async function withStored(
  run: CallRun<StoredParts>,
  stored: StoredResponse,
): Promise<CallRun<StoredParts>> {
  const { call } = run
  const request = withHistory(requestOf(call), await history(run, stored))
  return withCall(run, continuedWith(call, request))
}

/**
 * Refuses a request that references an object of another key or, unless the provider shares ids, of no known key. Returns what it
 * needs of the upstream.
 */
async function checkNamedIds(run: CallRun): Promise<Bound | undefined> {
  const target = nativeTarget(run)
  if (!target) return undefined
  const { value } = run.call.request
  const sealed = hasChoice(run.route) ? sealedIn(objectOf(value)['input']) : []
  return checkNamed(run, target, [
    ...namedInResponsesRequest(value),
    ...sealed.map((id) => ({ id, param: 'input', isReference: false })),
  ])
}

/** Checks that the upstream may continue a response that is not stored here. */
async function checkPreviousId(run: CallRun, target: UpstreamTarget, id: string): Promise<void> {
  // A known id without a stored response was deleted, whoever owned it.
  const [row] = await run.gateway.store.findUpstreamIds([id])
  if (row || !target.upstream.sharesIds) throw responseNotFound(id)
}

/** The first target, or the first of a provider, that would receive the request unchanged. */
function nativeTarget(
  { gateway, call, route }: CallRun,
  provider?: string,
): UpstreamTarget | undefined {
  const targets = route.levels.flat().filter((target) => target.kind === 'upstream')
  return targets.find(
    (target) =>
      (provider === undefined || target.providerId === provider) &&
      nativeOf(gateway, call, target) !== undefined,
  )
}

/** All items of the conversation, inputs and outputs, oldest first. */
async function history(
  { gateway, call }: CallRun<StoredParts>,
  last: StoredResponse,
): Promise<Items> {
  const reader = new StoredItemReader(call.held, call.format.continues)
  const chain: Items[number][][] = []
  let current: StoredResponse | undefined = last
  while (current) {
    const input = itemsIn(await reader.read(current.input))
    chain.push([...input, ...(await reader.output(current))])
    if (chain.length > conversationResponsesMax) throw tooLong(call.format.continues)
    const before: string | undefined = current.previousResponseId
    current = before === undefined ? undefined : await gateway.store.findResponse(before)
    if (before !== undefined && current?.keyId !== last.keyId) throw responseNotFound(before)
  }
  return sinceCompaction(chain.toReversed().flat())
}

/** Reads stored items within the limits for one request. Each text is parsed in its own turn of the event loop. */
class StoredItemReader {
  readonly #held: HeldBytes
  readonly #param: string
  #length = 0
  #units = 0

  constructor(held: HeldBytes, param: string) {
    this.#held = held
    this.#param = param
  }

  async output({ response }: StoredResponse): Promise<Items> {
    return itemsIn(objectOf(await this.read(response))['output'])
  }

  async read(text: string): Promise<unknown> {
    this.#length += text.length
    if (this.#length > conversationLengthMax) throw tooLong(this.#param)
    this.#held.add(text.length)
    await turn()
    const survey = new JsonSurvey(Buffer.from(text), Number.POSITIVE_INFINITY)
    while (!survey.isDone) survey.advance(text.length)
    this.#units += survey.units
    if (this.#units > conversationUnitsMax) throw tooLong(this.#param)
    return parseJson(text)
  }
}

/** Items as `addResponse` has stored them. */
function itemsIn(value: unknown): Items {
  if (isItems(value)) return value
  throw new TypeError('A stored response has no list of items')
}

function isItems(value: unknown): value is Items {
  return Array.isArray(value) && value.every(isObject)
}

function tooLong(param: string): GatewayError {
  return new GatewayError('context_length_exceeded', 'The conversation is too long', { param })
}
