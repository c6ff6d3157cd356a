import { type ChatReply, GatewayError } from '@sluice/contract'
import { reportUnlistedIn } from '../../kept-elsewhere.ts'
import { openAiHeaders } from '../../format-headers.ts'
import type { ClientFormat, FormatContext } from '../../client-format.ts'
import { compactionItem, summaryIn, withTrigger } from './compaction.ts'
import { inputItems, itemIds, itemsOf } from './history.ts'
import { usageOf } from './reply.ts'
import { measureResponse } from './measure.ts'
import { pathInInput } from './message-paths.ts'
import { canonicalOf, paramOf } from './request.ts'
import { CompactReply, CompactRequest, type InputItem, type ResponsesRequest } from './schema.ts'

/** POST /v1/responses/compact as a client format (https://platform.openai.com/docs/api-reference/responses/compact). */
export const responsesCompact: ClientFormat<'chat'> = {
  id: 'responsesCompact',
  operation: 'chat',
  summary: 'Compact a conversation',
  tag: 'Responses',
  paths: ['/v1/responses/compact'],
  request: CompactRequest,
  reply: CompactReply,
  example: { model: 'builtin-chat', input: 'What is 6 times 7?' },
  measure: measureResponse,
  // A summary has no limit in this API.
  outputLimit: 'none',
  continues: 'previous_response_id',
  textsOf: 'none',
  messages: 'none',
  toCanonical(request, context) {
    reportUnlistedIn(CompactRequest, request, context)
    return canonicalOf(withTrigger(checked(request)), context)
  },
  fromCanonical: (reply, request, context) => compactReply(reply, checked(request), context),
  error: (error) => error.toJSON(),
  headers: openAiHeaders,
  paramOf: (canonical, request) =>
    pathInInput(canonical, request) ?? paramOf(canonical, checked(request)),
}

/** The fields that this endpoint supports, of a request that was checked with the schema. */
function checked(request: unknown): ResponsesRequest {
  const known = Object.entries(request as CompactRequest).filter(
    ([name]) => name in CompactRequest.properties,
  )
  const { model, ...rest } = Object.fromEntries(known) as CompactRequest
  return { ...rest, model, input: rest.input ?? [] }
}

/** The user's messages are kept; everything else is in the summary. */
function compactReply(
  { choices: [choice], usage }: ChatReply,
  request: ResponsesRequest,
  { newId, now }: FormatContext,
): CompactReply {
  if (choice?.finish_reason === 'length')
    throw new GatewayError('upstream_garbled', "The summary did not fit into the model's answer")
  const id = newId('resp_')
  const itemId = itemIds(id)
  const summary = summaryIn(choice?.message ?? { content: null })
  return {
    id,
    object: 'response.compaction',
    created_at: Math.floor(now() / 1000),
    output: [
      ...inputItems({ input: retained(itemsOf(request)) }, itemId),
      compactionItem(summary, itemId('cmp_')),
    ],
    usage: usageOf(usage),
  }
}

/** About the 64,000 tokens that OpenAI retains (Codex, RETAINED_MESSAGE_TOKEN_BUDGET). */
const retainedCharactersMax = 256_000

/** The newest messages of the user, as many as fit. */
function retained(items: readonly InputItem[]): InputItem[] {
  const kept: InputItem[] = []
  let remainingCharacters = retainedCharactersMax
  for (const item of items.toReversed()) {
    if ((item.type ?? 'message') !== 'message' || item.role !== 'user') continue
    remainingCharacters -= JSON.stringify(item.content ?? '').length
    if (remainingCharacters < 0) break
    kept.unshift(item)
  }
  return kept
}
