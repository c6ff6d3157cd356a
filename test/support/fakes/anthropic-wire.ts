/** Responses of the Messages API for fake upstreams: whole messages and streams. */
import type { ServerResponse } from 'node:http'
import { formatJson } from '../../../packages/contract/src/wire/json.ts'
import { type SeenRequest, sse } from './fake-upstream.ts'

export interface AnthropicBlock {
  readonly type: string
  readonly [field: string]: unknown
}

export interface AnthropicMessage {
  readonly content: readonly AnthropicBlock[]
  readonly stop_reason: string
  readonly [field: string]: unknown
}

/** 40 tokens of a prompt of 100 were read from the cache, 10 were written to it; 12 of 30 output tokens were thinking. */
const anthropicUsage = {
  input_tokens: 50,
  cache_creation_input_tokens: 10,
  cache_read_input_tokens: 40,
  cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 0 },
  output_tokens: 30,
  output_tokens_details: { thinking_tokens: 12 },
  service_tier: 'standard',
}

let count = 0

/** A whole message; its stop reason is `tool_use` if it has tool calls. */
export function anthropicMessage(
  content: readonly AnthropicBlock[],
  further: object = {},
): AnthropicMessage {
  count += 1
  return {
    id: `msg_01XFDUDYJgAACzvnptvVo${String(count).padStart(4, '0')}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5-20250929',
    content,
    stop_reason: content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: anthropicUsage,
    ...further,
  }
}

export const textBlock = (text: string): AnthropicBlock => ({ type: 'text', text })
export const thinkingBlock = (thinking: string, signature: string): AnthropicBlock => ({
  type: 'thinking',
  thinking,
  signature,
})
export const toolUse = (id: string, name: string, input: unknown): AnthropicBlock => ({
  type: 'tool_use',
  id,
  name,
  input,
})

const event = (value: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${value.type}\ndata: ${formatJson(value)}\n\n`

/** Pieces of up to four UTF-16 code units, so that escapes and surrogate pairs are split too. */
function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,4}/g) ?? ['']
}

function deltas(block: AnthropicBlock): readonly object[] {
  switch (block.type) {
    case 'text':
      return whole(String(block['text'])).map((text) => ({ type: 'text_delta', text }))
    case 'thinking':
      return [
        ...whole(String(block['thinking'])).map((thinking) => ({
          type: 'thinking_delta',
          thinking,
        })),
        { type: 'signature_delta', signature: block['signature'] },
      ]
    case 'tool_use': {
      const text = formatJson(block['input'])
      const given = text === '{}' ? [''] : ['', ...pieces(text)]
      return given.map((partial_json) => ({ type: 'input_json_delta', partial_json }))
    }
    default:
      return []
  }
}

/** Words; characters are never split, because the API does not split any in text. */
function whole(text: string): readonly string[] {
  return text.match(/\S*\s*/g)?.filter((piece) => piece !== '') ?? []
}

function begun(block: AnthropicBlock): object {
  if (block.type === 'text') return { type: 'text', text: '' }
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' }
  return block.type === 'tool_use' ? { ...block, input: {} } : block
}

/** The events of a message, with pings among them. */
function anthropicEvents(message: AnthropicMessage): readonly string[] {
  const { content, stop_reason, stop_sequence, usage, ...head } = message
  const { output_tokens_details: _, ...started } = usage as typeof anthropicUsage
  const opened = {
    ...head,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...started, output_tokens: 1 },
  }
  return [
    event({ type: 'message_start', message: opened }),
    event({ type: 'ping' }),
    ...content.flatMap((block, index) => [
      event({ type: 'content_block_start', index, content_block: begun(block) }),
      ...deltas(block).map((delta) => event({ type: 'content_block_delta', index, delta })),
      event({ type: 'ping' }),
      event({ type: 'content_block_stop', index }),
    ]),
    event({ type: 'message_delta', delta: { stop_reason, stop_sequence }, usage }),
    event({ type: 'message_stop' }),
  ]
}

/** Responds to a request with a message, streamed if the request asks for it. */
export async function answerMessage(
  seen: SeenRequest,
  response: ServerResponse,
  message: AnthropicMessage,
): Promise<void> {
  const headers = { 'request-id': 'req_011CSHoEeqs5C35K2UUqR7Fy' }
  if (seen.body['stream'] === true) {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...headers })
    return sse(response, anthropicEvents(message))
  }
  response.writeHead(200, { 'content-type': 'application/json', ...headers })
  response.end(formatJson(message))
}

/** Sends an error response in the API's format. */
export function refuseMessage(response: ServerResponse, message: string, status = 400): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'request-id': 'req_011CSHoEeqs5C35K2UUqR7Fy',
  })
  const type = status === 400 ? 'invalid_request_error' : 'api_error'
  response.end(JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_011' }))
}
