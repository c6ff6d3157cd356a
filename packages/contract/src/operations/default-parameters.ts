import { type Static, type TNull, type TSchema, type TUnion, Type } from 'typebox'
import { ChatRequest } from './chat-request.ts'

/** The field without null: a default that says nothing is a mistake. */
function given<S extends TSchema>({ anyOf: [schema] }: TUnion<[S, TNull]>) {
  return Type.Optional(schema)
}

const { properties: chat } = ChatRequest

/**
 * Parameters that a route has for requests which do not give them, in the names of chat requests. Neither what a request consists
 * of (messages, tools, formats) nor how many responses it asks for and how they are sent.
 */
export const DefaultParameters = Type.Object(
  {
    temperature: given(chat.temperature),
    top_p: given(chat.top_p),
    top_k: given(chat.top_k),
    stop: given(chat.stop),
    max_tokens: given(chat.max_completion_tokens),
    max_completion_tokens: given(chat.max_completion_tokens),
    presence_penalty: given(chat.presence_penalty),
    frequency_penalty: given(chat.frequency_penalty),
    logit_bias: given(chat.logit_bias),
    logprobs: given(chat.logprobs),
    top_logprobs: given(chat.top_logprobs),
    seed: given(chat.seed),
    reasoning_effort: given(chat.reasoning_effort),
    thinking_budget: given(chat.thinking_budget),
    verbosity: given(chat.verbosity),
    parallel_tool_calls: given(chat.parallel_tool_calls),
    service_tier: given(chat.service_tier),
    user: given(chat.user),
    safety_identifier: given(chat.safety_identifier),
    prompt_cache_key: given(chat.prompt_cache_key),
    store: given(chat.store),
  },
  {
    additionalProperties: false,
    description:
      'Default parameters, in the names of chat requests: used for every client format, where the request does not give them. max_tokens and max_completion_tokens are the same.',
  },
)
export type WrittenDefaults = Static<typeof DefaultParameters>

/** The same with one name for the limit of the output. */
export type DefaultParameters = Omit<WrittenDefaults, 'max_tokens'>

export function canonicalDefaults({
  max_tokens: limit,
  ...rest
}: WrittenDefaults): DefaultParameters {
  return limit === undefined ? rest : { ...rest, max_completion_tokens: limit }
}
