import { describe, expect, it } from 'vitest'
import { formatContext } from '../../../test/support/codec-context.ts'
import { canonical } from '../../../test/support/formats/messages-client.ts'
import { type ErrorCode, GatewayError } from '../../contract/src/core/errors.ts'
import { validate } from '../../contract/src/operations/validate.ts'
import { messages, messagesCountTokens } from '../src/anthropic/client/formats.ts'

const hello = { role: 'user', content: 'Hello' }
const base = { model: 'm', max_tokens: 64, messages: [hello] }

function param(request: object): string | undefined {
  try {
    canonical(request)
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.status === 400) return thrown.details.param
    throw thrown
  }
  throw new Error('was not refused')
}

function said(blocks: object[], role = 'user'): object {
  return { ...base, messages: [{ role, content: blocks }] }
}

describe('Messages requests', () => {
  it.each<[string, object]>([
    ['model', { ...base, model: undefined }],
    ['messages', { ...base, messages: [] }],
    ['max_tokens', { ...base, max_tokens: 0 }],
    ['max_tokens', { ...base, max_tokens: -1 }],
    ['temperature', { ...base, temperature: 1.1 }],
    ['top_p', { ...base, top_p: 2 }],
    ['messages[0].role', { ...base, messages: [{ role: 'tool', content: 'x' }] }],
    ['messages[0].content', { ...base, messages: [{ role: 'user', content: 7 }] }],
    ['messages[0].content', said([])],
    ['messages[0].content[0].text', said([{ type: 'text' }])],
    ['messages[0].content[0].type', said([{ type: 'container_upload', file_id: 'f' }])],
    [
      'messages[0].content[0].source',
      said([{ type: 'image', source: { type: 'file', file_id: 'f' } }]),
    ],
    [
      'messages[0].content[0].source.data',
      said([{ type: 'image', source: { type: 'base64', media_type: 'image/png' } }]),
    ],
    [
      'messages[0].content[0].citations',
      said([
        { type: 'document', citations: { enabled: true }, source: { type: 'text', data: 'x' } },
      ]),
    ],
    [
      'messages[0].content[1].content[0].type',
      said([
        { type: 'text', text: 'x' },
        { type: 'tool_result', tool_use_id: 't', content: [{ type: 'mcp_tool_use' }] },
      ]),
    ],
    ['messages[0].content[0].tool_use_id', said([{ type: 'tool_result', content: 'x' }])],
    ['messages[0].content[0].name', said([{ type: 'tool_use', id: 't', input: {} }], 'assistant')],
    [
      'messages[0].content[0].type',
      said([{ type: 'container_upload', file_id: 'f' }], 'assistant'),
    ],
    ['tools[0].input_schema', { ...base, tools: [{ name: 'look' }] }],
    [
      'tools[0].allowed_callers',
      { ...base, tools: [{ name: 'a', input_schema: {}, allowed_callers: ['code_execution'] }] },
    ],
    ['tool_choice.name', { ...base, tool_choice: { type: 'tool' } }],
    ['thinking.budget_tokens', { ...base, thinking: { type: 'enabled' } }],
    ['thinking.budget_tokens', { ...base, thinking: { type: 'enabled', budget_tokens: 1023 } }],
    ['thinking.budget_tokens', { ...base, thinking: { type: 'enabled', budget_tokens: 1024 } }],
    ['output_config.effort', { ...base, output_config: { effort: 'huge' } }],
    ['container', { ...base, container: 'c_1' }],
    ['inference_geo', { ...base, inference_geo: 'eu' }],
    ['mcp_servers', { ...base, mcp_servers: [{ type: 'url', url: 'https://example.com' }] }],
  ])('name the invalid field %s', (path, request) => {
    expect(param(request)).toBe(path)
  })

  it('translate adaptive thinking to budget -1 and keep the effort', () => {
    const { thinking_budget: budget, reasoning_effort: effort } = canonical({
      ...base,
      thinking: { type: 'adaptive' },
      output_config: { effort: 'max' },
    })
    expect([budget, effort]).toEqual([-1, 'max'])
  })

  it('are not strict if the schema leaves something open', () => {
    const schema = { type: 'object', properties: { a: {} }, additionalProperties: false }
    const format = { type: 'json_schema', schema }
    expect(canonical({ ...base, output_config: { format } }).response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'response', schema },
    })
  })

  it('keep a final assistant message, and drop an empty one', () => {
    const prefill = { role: 'assistant', content: 'The answer is (' }
    expect(canonical({ ...base, messages: [hello, prefill] }).messages.at(-1)).toEqual(prefill)
    const silent = { role: 'assistant', content: [] }
    expect(canonical({ ...base, messages: [hello, silent] }).messages).toEqual([hello])
  })

  it('mark a failed tool result once', () => {
    const result = (content: string) =>
      canonical({
        ...base,
        messages: [
          hello,
          { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'look', input: {} }] },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 't', is_error: true, content }],
          },
        ],
        tools: [{ name: 'look', input_schema: { type: 'object' } }],
      }).messages.at(-1)?.content
    expect(result('no camera')).toBe('Error: no camera')
    expect(result('Error: no camera')).toBe('Error: no camera')
    expect(result('')).toBe('Error: ')
  })

  it('count tokens without max_tokens', () => {
    const { max_tokens: _, ...prompt } = { ...base, system: 'Be brief.' }
    const checked = validate(messagesCountTokens.request, prompt)
    expect(messagesCountTokens.toCanonical(checked, formatContext())).toEqual({
      model: 'm',
      messages: [{ role: 'system', content: 'Be brief.' }, hello],
    })
    expect(messagesCountTokens.counted?.(17)).toEqual({ input_tokens: 17 })
  })
})

it.each<[ErrorCode, object, string]>([
  ['invalid_request', {}, 'invalid_request_error'],
  ['upstream_rejected', { status: 422 }, 'invalid_request_error'],
  ['unauthenticated', {}, 'authentication_error'],
  ['forbidden', {}, 'permission_error'],
  ['model_not_found', {}, 'not_found_error'],
  ['conflict', {}, 'conflict_error'],
  ['too_large', {}, 'request_too_large'],
  ['rate_limited', {}, 'rate_limit_error'],
  ['internal', {}, 'api_error'],
  ['upstream_refused_us', {}, 'api_error'],
  ['upstream_unavailable', {}, 'overloaded_error'],
  ['upstream_timeout', {}, 'timeout_error'],
])('maps the error %s %j to %s', (code, details, type) => {
  expect(messages.error(new GatewayError(code, 'No', details), 'req_1')).toEqual({
    type: 'error',
    error: { type, message: 'No' },
    request_id: 'req_1',
  })
})

it.each([
  ['stop[1]', 'stop_sequences[1]'],
  ['response_format', 'output_config.format'],
  ['reasoning_effort', 'output_config.effort'],
  ['thinking_budget', 'thinking.budget_tokens'],
  ['tools[2].function.parameters', 'tools[2].input_schema'],
  ['tools[2].function.name', 'tools[2].name'],
  ['messages[1].content[0].image_url', 'messages'],
  ['messages[1].content[0].source', 'messages[1].content[0].source'],
  ['max_tokens', 'max_tokens'],
  ['temperature', 'temperature'],
])('maps the path %s to %s, also in the message', (path, name) => {
  expect(messages.paramOf?.(path, {})).toBe(name)
  expect(messages.paramOf?.(name, {})).toBe(name)
  const error = new GatewayError('invalid_request', 'No', { param: path })
  expect(messages.error(error, 'r')).toMatchObject({ error: { message: `${name}: No` } })
})
