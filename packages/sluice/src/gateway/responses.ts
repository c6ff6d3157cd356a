import {
  type ApiKey,
  createEventSplitter,
  GatewayError,
  invalidRequest,
  parseJson,
  type StoredResponse,
} from '@sluice/contract'
import {
  inputItems,
  referredResponses,
  responseNotFound,
  type ResponsesRequest,
  withHistory,
  withReferences,
} from '@sluice/protocols'
import type { Answer, Call, Gateway } from './gateway.ts'
import { handle, routeOf } from './handle.ts'
import { nativeOf } from './prepare.ts'

type Items = ReturnType<typeof inputItems>

/** A longer conversation than this is refused; OpenAI's own models would not fit half of it. */
const chainMax = 1_000

/**
 * POST /v1/responses with its memory: the conversation before `previous_response_id` is put in front, and the answer is
 * kept unless `store` is false. Where the upstream made the earlier response itself, it is left to the upstream.
 */
export async function createResponse(gateway: Gateway, call: Call): Promise<Answer> {
  const asked = await withReferred(gateway, call)
  const request = asked.request as ResponsesRequest
  const previousId = request.previous_response_id
  const continued = previousId == null ? asked : await withPrevious(gateway, asked, previousId)
  const answer = await handle(gateway, continued)
  const keeping: Keeping = {
    gateway,
    call,
    previousId: continued === asked ? undefined : (previousId ?? undefined),
    own: inputItems(request, gateway.newId),
    isKept: request.store !== false,
  }
  return kept(keeping, answer)
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
  const request = withReferences(call.request as ResponsesRequest, items)
  return { ...call, request, raw: Buffer.from(JSON.stringify(request)) }
}

async function withPrevious(gateway: Gateway, call: Call, id: string): Promise<Call> {
  const route = await routeOf(gateway, call)
  const target = route.levels[0]?.[0]
  const isNative = target?.kind === 'upstream' && nativeOf(gateway, call, target) !== undefined
  const stored = await gateway.store.findResponse(id)
  const isOurs = stored?.keyId === call.key.id
  // The upstream would know it: all keys share the gateway's account there.
  if (stored && !isOurs) throw responseNotFound(id)
  // What this gateway does not know, an upstream with a memory of its own may.
  if (isNative && (!isOurs || stored?.provider === target.providerId)) return call
  if (!stored || !isOurs) throw responseNotFound(id)
  const request = withHistory(call.request as ResponsesRequest, await history(gateway, stored))
  return { ...call, request, raw: Buffer.from(JSON.stringify(request)) }
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

interface Keeping {
  readonly gateway: Gateway
  readonly call: Call
  /** Set where the conversation was put in front here, so that the upstream did not see the id. */
  readonly previousId: string | undefined
  readonly own: Items
  readonly isKept: boolean
}

async function kept(keeping: Keeping, answer: Answer): Promise<Answer> {
  switch (answer.kind) {
    case 'json': {
      const body = { ...(answer.body as object), ...saidBefore(keeping) }
      await keep(keeping, body)
      return { ...answer, body }
    }
    case 'bytes':
      await keepJson(keeping, Buffer.from(answer.bytes).toString('utf8'), (body) => body)
      return answer
    case 'stream':
      return { ...answer, pieces: keptStream(keeping, answer.pieces) }
  }
}

function saidBefore({ previousId }: Keeping): object {
  return previousId === undefined ? {} : { previous_response_id: previousId }
}

const finalEvents: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete'])

/** Looks for the last event as the stream goes by, and keeps the response before the caller can ask for it. */
async function* keptStream(
  keeping: Keeping,
  pieces: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<string | Uint8Array> {
  const splitter = createEventSplitter()
  for await (const piece of pieces) {
    const shown = typeof piece === 'string' ? withPreviousId(keeping, piece) : piece
    for (const { event, data } of splitter.push(Buffer.from(shown as string)))
      if (finalEvents.has(event))
        await keepJson(keeping, data, (body) => (body as { readonly response?: unknown }).response)
    yield shown
  }
}

/** Inside JSON strings the quotes would be escaped, so that only the field itself can match. */
function withPreviousId({ previousId }: Keeping, text: string): string {
  if (previousId === undefined) return text
  return text.replaceAll(
    '"previous_response_id":null',
    `"previous_response_id":${JSON.stringify(previousId)}`,
  )
}

/** The response that `find` takes out of an upstream's own text. */
async function keepJson(keeping: Keeping, text: string, find: (body: object) => unknown) {
  const body: unknown = parseJson(text)
  const response = typeof body === 'object' && body !== null ? find(body) : undefined
  if (typeof response === 'object' && response !== null) await keep(keeping, response)
}

/** The answer is the caller's whatever becomes of its copy: an upstream may give the same id twice. */
async function keep(keeping: Keeping, body: object): Promise<void> {
  try {
    await add(keeping, body)
  } catch (thrown) {
    const { code } = GatewayError.from(thrown)
    keeping.gateway.log.warn({ call: keeping.call.id, code }, 'a response could not be kept')
  }
}

async function add({ gateway, call, previousId, own, isKept }: Keeping, body: object) {
  const { id, output } = body as { readonly id?: unknown; readonly output?: unknown }
  if (!isKept || typeof id !== 'string' || !Array.isArray(output)) return
  const asked = (call.request as ResponsesRequest).previous_response_id ?? undefined
  const before = previousId ?? asked
  const provider = call.trail.provider
  const isNative = previousId === undefined && isUpstreams(gateway, call)
  await gateway.store.addResponse({
    id,
    keyId: call.key.id,
    createdAt: Math.floor(gateway.now() / 1000),
    ...(before !== undefined && { previousResponseId: before }),
    ...(isNative && provider !== undefined && { provider }),
    response: JSON.stringify(body),
    input: JSON.stringify(own),
  })
}

/** Whether the upstream that answered speaks this format, and so knows the response by its id. */
function isUpstreams(gateway: Gateway, { trail }: Call): boolean {
  const upstream = gateway.routing().upstreams.get(trail.provider ?? '')
  return upstream?.provider.protocol.native.responses !== undefined
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
