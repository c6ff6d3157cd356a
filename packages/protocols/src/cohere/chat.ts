import {
  type AnswerMessage,
  type ChatReply,
  type ChatRequest,
  chatUsage,
  GatewayError,
  isObject,
  listOf,
  objectOf,
  textOf,
  type ToolCall,
} from '@sluice/contract'
import { withFunctions } from '../function-answers.ts'
import { namedSchema } from '../named-schema.ts'
import type { Codec, CodecContext, Decoded, Received } from '../protocol.ts'
import { asksFor, refuseFields } from '../unsupported-fields.ts'
import { chatStream } from './chat-stream.ts'
import { finishReason } from './finish-reasons.ts'
import { readLogprobs } from './logprobs.ts'
import { encodeMessages } from './messages.ts'
import { encodeTools } from './tools.ts'
import { readUsage } from './usage.ts'

/** Cohere API v2, chat (https://docs.cohere.com/v2/reference/chat). */
export const chat: Codec<'chat'> = withFunctions({
  encode(request, context) {
    return {
      method: 'POST',
      path: '/v2/chat',
      body: { kind: 'json', value: encodeBody(request, context) },
    }
  },
  decode,
  singleChoice: true,
  stream: chatStream,
})

const unsupported = [
  'logit_bias',
  'top_logprobs',
  'verbosity',
  'modalities',
  'audio',
  'web_search_options',
  'parallel_tool_calls',
  'service_tier',
] as const

function encodeBody(request: ChatRequest, context: CodecContext): object {
  refuseFields(request, unsupported, context)
  const { temperature, top_p: p, stop, seed } = request
  const maxTokens = request.max_completion_tokens ?? request.max_tokens
  const stops = typeof stop === 'string' ? [stop] : (stop ?? [])
  return {
    model: context.model,
    messages: encodeMessages(request, context),
    ...(request.stream === true ? { stream: true } : {}),
    ...(maxTokens == null ? {} : { max_tokens: maxTokens }),
    ...(temperature == null ? {} : { temperature }),
    ...(p == null ? {} : { p }),
    ...(asksFor(request, 'top_k') ? { k: request.top_k } : {}),
    ...(stops.length > 0 ? { stop_sequences: stops } : {}),
    ...(seed == null ? {} : { seed }),
    ...penalty('presence_penalty', request, context),
    ...penalty('frequency_penalty', request, context),
    ...(request.logprobs === true ? { logprobs: true } : {}),
    ...encodeTools(request, context),
    ...responseFormat(request),
    ...thinking(request, context),
  }
}

/** Cohere takes 0 to 1. */
function penalty(
  field: 'presence_penalty' | 'frequency_penalty',
  request: ChatRequest,
  context: CodecContext,
): object {
  const value = request[field]
  if (value == null || value === 0) return {}
  if (value > 0 && value <= 1) return { [field]: value }
  context.unsupported(field, 'Cohere takes 0 to 1')
  return {}
}

function responseFormat({ response_format: format }: ChatRequest): object {
  if (format == null || format.type === 'text') return {}
  const { schema } = namedSchema(format)
  return {
    response_format: {
      type: 'json_object',
      ...(format.type === 'json_schema' ? { json_schema: schema } : {}),
    },
  }
}

/** Tokens to think with; `high` and above set no limit, which is Cohere's own behaviour. */
const budgets: Readonly<Record<string, number>> = { minimal: 512, low: 2048, medium: 8192 }

/** Reasoning models think unless told not to; other models cannot. */
function thinking(request: ChatRequest, context: CodecContext): object {
  const { reasoning_effort: effort, thinking_budget: budget } = request
  if (!context.model.includes('reasoning')) {
    refuseFields(request, ['reasoning_effort', 'thinking_budget'], context)
    return {}
  }
  if (budget === 0 || (budget == null && effort === 'none'))
    return { thinking: { type: 'disabled' } }
  const tokens = budget != null && budget > 0 ? budget : budgets[effort ?? '']
  if (budget == null && effort == null) return {}
  return {
    thinking: { type: 'enabled', ...(tokens === undefined ? {} : { token_budget: tokens }) },
  }
}

function decode(received: Received, context: CodecContext): Decoded<'chat'> {
  const body = objectOf(received.json())
  if (!isObject(body['message']))
    throw new GatewayError('upstream_garbled', 'Cohere answered without a message')
  const message = readMessage(body['message'])
  const usage = readUsage(body['usage'])
  const reply: ChatReply = {
    id: context.newId('chatcmpl-'),
    object: 'chat.completion',
    created: Math.floor(context.now() / 1000),
    model: context.publicModel,
    choices: [
      {
        index: 0,
        message,
        finish_reason: finishReason(body['finish_reason'], message.tool_calls !== undefined),
        logprobs: readLogprobs(body['logprobs']),
      },
    ],
    usage: chatUsage(usage ?? { inputTokens: 0, outputTokens: 0 }),
    system_fingerprint: null,
  }
  return { reply, ...(usage === undefined ? {} : { usage }) }
}

function readMessage(message: Readonly<Record<string, unknown>>): AnswerMessage {
  const parts = listOf(message['content']).map(objectOf)
  const text = parts.map((part) => textOf(part['text'])).join('')
  const reasoning =
    parts.map((part) => textOf(part['thinking'])).join('') + textOf(message['tool_plan'])
  const calls = listOf(message['tool_calls']).map(readCall)
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

function readCall(call: unknown): ToolCall {
  const { id, function: called } = objectOf(call)
  const { name, arguments: text } = objectOf(called)
  return {
    id: textOf(id),
    type: 'function',
    function: { name: textOf(name), arguments: textOf(text) || '{}' },
  }
}
