import { objectOf } from '@sluice/contract'
import type { ClientFormat } from '../../client-format.ts'
import { openAiHeaders } from '../../format-headers.ts'
import { reportUnlistedIn } from '../../kept-elsewhere.ts'
import { measureResponse } from './measure.ts'
import { pathInInput } from './message-paths.ts'
import { canonicalOf, paramOf } from './request.ts'
import {
  checkInput,
  conversationIn,
  InputTokensReply,
  InputTokensRequest,
  type ResponsesRequest,
  withInput,
} from './schema.ts'

/** Counts the input tokens of a response (https://platform.openai.com/docs/api-reference/responses/input-tokens). */
export const responsesInputTokens: ClientFormat<'chat'> = {
  id: 'responsesInputTokens',
  operation: 'chat',
  summary: 'Count the input tokens of a response',
  tag: 'Responses',
  paths: ['/v1/responses/input_tokens'],
  request: InputTokensRequest,
  reply: InputTokensReply,
  example: { model: 'builtin-chat', input: 'What is 6 times 7?' },
  measure: measureResponse,
  outputLimit: 'none',
  continues: 'previous_response_id',
  conversation: conversationIn,
  textsOf: 'none',
  messages: 'none',
  check: (request) => checkInput(objectOf(request)),
  toCanonical(request, context) {
    reportUnlistedIn(InputTokensRequest, request, context)
    return canonicalOf(checked(request), context)
  },
  fromCanonical: ({ usage }) => counted(usage.prompt_tokens),
  counted,
  error: (error) => error.toJSON(),
  headers: openAiHeaders,
  paramOf: (canonical, request) =>
    pathInInput(canonical, request) ?? paramOf(canonical, checked(request)),
}

function counted(tokens: number): InputTokensReply {
  return { object: 'response.input_tokens', input_tokens: tokens }
}

/** The fields that are counted, of a request that was checked with the schema. */
function checked(request: unknown): ResponsesRequest {
  const known = Object.entries(objectOf(request)).filter(
    ([name]) => name in InputTokensRequest.properties,
  )
  return withInput(Object.fromEntries(known))
}
