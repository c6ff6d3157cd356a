import { objectOf } from '@sluice/contract'
import { openAiHeaders } from '../../format-headers.ts'
import { limitField } from '../../output-limit.ts'
import { isReasoningPath } from '../../message-places.ts'
import type { ClientFormat } from '../../client-format.ts'
import { placedDefaults, type Places } from '../../placed-defaults.ts'
import { measureResponse } from './measure.ts'
import { pathInInput } from './message-paths.ts'
import { plainMessages, textsOf } from './plain-messages.ts'
import { responseOf } from './reply.ts'
import { reportHeaders } from '../../openai/caller-headers.ts'
import { canonicalOf, paramOf } from './request.ts'
import { respellResponses } from './respell.ts'
import {
  checkInput,
  conversationIn,
  ResponseObject,
  type ResponsesRequest,
  ResponsesRequest as schema,
  withInput,
} from './schema.ts'
import { createChatWriter } from './stream.ts'

/** Where the format has a chat's parameters. */
const places: Places = {
  temperature: { path: ['temperature'] },
  top_p: { path: ['top_p'] },
  max_completion_tokens: { path: ['max_output_tokens'] },
  reasoning_effort: { path: ['reasoning', 'effort'] },
  verbosity: { path: ['text', 'verbosity'] },
  parallel_tool_calls: { path: ['parallel_tool_calls'] },
  service_tier: { path: ['service_tier'] },
  user: { path: ['user'] },
  safety_identifier: { path: ['safety_identifier'] },
  prompt_cache_key: { path: ['prompt_cache_key'] },
  store: { path: ['store'] },
}

/** POST /v1/responses as a client format (https://platform.openai.com/docs/api-reference/responses/create). */
export const responses: ClientFormat<'chat'> = {
  id: 'responses',
  operation: 'chat',
  summary: 'Create a response',
  tag: 'Responses',
  paths: ['/v1/responses'],
  request: schema,
  reply: ResponseObject,
  measure: measureResponse,
  outputLimit: limitField('max_output_tokens'),
  defaulted: (request, defaults) => placedDefaults(request, defaults, places),
  continues: 'previous_response_id',
  conversation: conversationIn,
  textsOf,
  messages: plainMessages,
  example: { model: 'builtin-chat', input: 'What is 6 times 7?' },
  respell: respellResponses,
  check: (request) => checkInput(objectOf(request)),
  toCanonical(request, context) {
    reportHeaders(context)
    return canonicalOf(checked(request), context)
  },
  fromCanonical: (reply, request, context) => responseOf(reply, checked(request), context),
  writer: (request, context) => createChatWriter(checked(request), context),
  error: (error) => error.toJSON(),
  headers: openAiHeaders,
  paramOf: (canonical, request) =>
    pathInInput(canonical, request) ??
    (isReasoningPath(canonical) ? undefined : paramOf(canonical, checked(request))),
  prefixOf(request) {
    const { tools, instructions, input } = checked(request)
    return [tools, instructions, typeof input === 'string' ? input : input.slice(0, 2)]
  },
}

/** The request schema has been applied before any of these functions is called. */
function checked(request: unknown): ResponsesRequest {
  return withInput(objectOf(request))
}
