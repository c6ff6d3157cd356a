import { GatewayError, invalidRequest, parseJson } from '@sluice/contract'
import type { ApiKey } from '../../ports/api-key.ts'
import type { StoredResponse } from '../../ports/store.ts'
import {
  inputItems,
  referredResponses,
  responseNotFound,
  type ResponsesRequest,
  withHistory,
  withReferences,
} from '@sluice/protocols'
import { answerOf } from '../answer.ts'
import type { Attempted } from '../attempt/attempt.ts'
import { nativeOf } from '../attempt/prepare.ts'
import type { Answer, Call } from '../call.ts'
import type { Gateway } from '../gateway.ts'
import { begin, openRun, withCall } from '../handle.ts'
import type { Run } from '../run/run.ts'

type Items = ReturnType<typeof inputItems>

/** A longer conversation than this is refused; OpenAI's own models would not fit half of it. */
const chainMax = 1_000

/**
 * POST /v1/responses with its memory: the conversation before `previous_response_id` is put in front, and the answer is
 * kept unless `store` is false. Where the upstream made the earlier response itself, it is left to the upstream.
 */
export async function createResponse(gateway: Gateway, call: Call): Promise<Answer> {
  const request = call.request as ResponsesRequest
  const asked = await withReferred(gateway, call)
  const run = await openRun(gateway, asked)
  const previousId = request.previous_response_id
  const continued = previousId == null ? asked : await withPrevious(run, previousId)
  const answering = continued === asked ? run : withCall(run, continued)
  const attempted = await begin(answering)
  if (request.store === false) return answerOf(answering, attempted)
  const kept = {
    call,
    own: inputItems(request, gateway.newId),
    // An upstream that was told the id knows the response by its own.
    isOurs: continued !== asked || !speaksResponses(attempted),
  }
  return answerOf(answering, attempted, (document) => keep(gateway, kept, document))
}

/** The call with references to items of kept answers replaced by the items; others are left to the upstream. */
async function withReferred(gateway: Gateway, call: Call): Promise<Call> {
  const ids = referredResponses(call.request as ResponsesRequest)
  if (ids.length === 0) return call
  if (ids.length > chainMax)
    throw invalidRequest(`The input refers to more than ${chainMax} responses`, 'input')
  const found = await Promise.all(ids.map((id) => gateway.store.findResponse(id)))
  const items = found.flatMap((stored) => {
    if (stored?.keyId !== call.key.id) return []
    return (parseJson(stored.response) as { readonly output: Items }).output
  })
  if (items.length === 0) return call
  return continuedWith(call, withReferences(call.request as ResponsesRequest, items))
}

function continuedWith(call: Call, request: ResponsesRequest): Call {
  const written = call.written ?? call.request
  return { ...call, request, written, raw: Buffer.from(JSON.stringify(request)) }
}

async function withPrevious({ gateway, call, route }: Run, id: string): Promise<Call> {
  const target = route.levels[0]?.[0]
  const isNative = target?.kind === 'upstream' && nativeOf(gateway, call, target) !== undefined
  const stored = await gateway.store.findResponse(id)
  const isOurs = stored?.keyId === call.key.id
  // The upstream would know it: all keys share the gateway's account there.
  if (stored && !isOurs) throw responseNotFound(id)
  // What this gateway does not know, an upstream with a memory of its own may.
  if (isNative && (!isOurs || stored?.provider === target.providerId)) return call
  if (!stored || !isOurs) throw responseNotFound(id)
  return continuedWith(
    call,
    withHistory(call.request as ResponsesRequest, await history(gateway, stored)),
  )
}

/** All items of the conversation, inputs and outputs, oldest first. */
async function history(gateway: Gateway, last: StoredResponse): Promise<Items> {
  const chain: Items[number][][] = []
  let current: StoredResponse | undefined = last
  while (current) {
    const { output } = parseJson(current.response) as { readonly output: Items }
    chain.unshift([...(parseJson(current.input) as Items), ...output])
    if (chain.length > chainMax)
      throw new GatewayError('context_length_exceeded', 'The conversation is too long', {
        param: 'previous_response_id',
      })
    const before: string | undefined = current.previousResponseId
    current = before === undefined ? undefined : await gateway.store.findResponse(before)
    if (before !== undefined && current?.keyId !== last.keyId) throw responseNotFound(before)
  }
  return chain.flat()
}

interface Kept {
  /** As the caller wrote it. */
  readonly call: Call
  readonly own: Items
  /** False where the upstream made the response under an id of its own. */
  readonly isOurs: boolean
}

/** The answer is the caller's whatever becomes of its copy: an upstream may give the same id twice. */
async function keep(gateway: Gateway, kept: Kept, document: unknown): Promise<void> {
  try {
    await add(gateway, kept, document)
  } catch (thrown) {
    const { code } = GatewayError.from(thrown)
    gateway.log.warn({ call: kept.call.id, code }, 'a response could not be kept')
  }
}

async function add(gateway: Gateway, { call, own, isOurs }: Kept, document: unknown) {
  if (typeof document !== 'object' || document === null) return
  const { id, output } = document as { readonly id?: unknown; readonly output?: unknown }
  if (typeof id !== 'string' || !Array.isArray(output)) return
  const before = (call.request as ResponsesRequest).previous_response_id ?? undefined
  const { provider } = call.trail
  await gateway.store.addResponse({
    id,
    keyId: call.key.id,
    createdAt: Math.floor(gateway.now() / 1000),
    ...(before !== undefined && { previousResponseId: before }),
    ...(!isOurs && provider !== undefined && { provider }),
    response: JSON.stringify(document),
    input: JSON.stringify(own),
  })
}

/** Whether the upstream that answered speaks this format, and so knows the response by its id. */
function speaksResponses({ target }: Attempted): boolean {
  return (
    target.kind === 'upstream' && target.upstream.provider.protocol.native.responses !== undefined
  )
}

/** A response of this key. Another key's is as absent as one that never was. */
export async function findResponse(
  gateway: Gateway,
  key: ApiKey,
  id: string,
): Promise<StoredResponse> {
  const stored = await gateway.store.findResponse(id)
  if (stored?.keyId === key.id) return stored
  throw new GatewayError('not_found', `Response with id '${id.slice(0, 100)}' not found.`, {
    param: 'response_id',
  })
}
