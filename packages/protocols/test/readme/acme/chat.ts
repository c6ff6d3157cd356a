import { chatUsage, countOf, GatewayError, type Message } from '@sluice/contract'
import { applyDecisions, type Decisions } from '../../../src/decisions.ts'
import type { Codec, CodecContext } from '../../../src/protocol.ts'
import { receivedObject } from '../../../src/read-json.ts'

/** What Acme's API supports. After a field is added to ChatRequest, this does not compile until the field is decided. */
const decisions: Decisions<'chat'> = {
  model: 'sent',
  messages: 'sent',
  temperature: 'sent',
  top_p: 'hint',
  top_k: 'hint',
  n: 'gateway',
  stream: 'gateway',
  stream_options: 'gateway',
  stop: 'refused',
  max_completion_tokens: 'sent',
  presence_penalty: 'hint',
  frequency_penalty: 'hint',
  logit_bias: 'refused',
  logprobs: 'refused',
  top_logprobs: 'refused',
  user: 'hint',
  safety_identifier: 'hint',
  prompt_cache_key: 'hint',
  tools: 'refused',
  tool_choice: 'refused',
  parallel_tool_calls: 'hint',
  response_format: 'refused',
  seed: 'hint',
  reasoning_effort: 'hint',
  verbosity: 'hint',
  modalities: 'refused',
  audio: 'refused',
  prediction: 'hint',
  web_search_options: 'refused',
  server_tools: 'refused',
  service_tier: 'hint',
  store: 'hint',
  metadata: 'hint',
  thinking_budget: 'hint',
  cache_control: 'hint',
}

/** `POST /generate` of Acme's API (https://acme.example/docs): a prompt in, a text out. */
export const chat: Codec<'chat'> = {
  encode(request, context) {
    applyDecisions('chat', request, decisions, context)
    const { messages, temperature, max_completion_tokens: limit } = request
    const lines = messages.map((message, index) =>
      [message.role, textOf(message, `messages[${index}]`, context)].join(': '),
    )
    const value = {
      model: context.model,
      prompt: lines.join('\n'),
      ...(temperature == null ? {} : { temperature }),
      ...(limit == null ? {} : { limit }),
    }
    return { method: 'POST', path: '/generate', body: { kind: 'json', value } }
  },
  decode(received, { publicModel, newId, now }) {
    const body = receivedObject(received)
    const { text } = body
    if (typeof text !== 'string')
      throw new GatewayError('upstream_garbled', 'The upstream answered without a text')
    const usage = {
      inputTokens: countOf(body['tokens_in']) ?? 0,
      outputTokens: countOf(body['tokens_out']) ?? 0,
    }
    const message = { role: 'assistant' as const, content: text, refusal: null }
    return {
      usage,
      reply: {
        id: newId('chatcmpl-'),
        object: 'chat.completion',
        created: Math.floor(now() / 1000),
        model: publicModel,
        choices: [{ index: 0, message, finish_reason: 'stop', logprobs: null }],
        usage: chatUsage(usage),
        system_fingerprint: null,
      },
    }
  },
  singleChoice: true, // the gateway fans `n` out
}

function textOf({ content }: Message, path: string, context: CodecContext): string {
  if (typeof content === 'string') return content
  const texts = (content ?? []).map((part, index) => {
    if (part.type !== 'text') context.unsupported(`${path}.content[${index}].type`)
    return part.text ?? ''
  })
  return texts.join('\n')
}
