import { describe, expect, it } from 'vitest'
import { formatContext } from '../../../test/support/codec-context.ts'
import { GatewayError } from '../../contract/src/core/errors.ts'
import { operations } from '../../contract/src/operations/index.ts'
import { validate } from '../../contract/src/operations/validate.ts'
import { carry } from '../src/carried-reasoning.ts'
import { responses } from '../src/openai-responses/client/formats.ts'

function canonical(fields: object) {
  const request = validate(responses.request, { model: 'm', input: 'x', ...fields })
  const value = validate(operations.chat.request, responses.toCanonical(request, formatContext()))
  operations.chat.check?.(value)
  return value
}

function refusal(fields: object): unknown {
  try {
    canonical(fields)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return [error.code, error.details.param ?? null]
  }
  return undefined
}

const user = { role: 'user', content: 'Hi' }
const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' })
const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'ok' })
const answer = (text: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
})

describe('rejects Responses fields that chat lacks by their path', () => {
  it.each([
    [{ background: true }, ['unsupported_parameter', 'background']],
    [{ conversation: 'conv_1' }, ['unsupported_parameter', 'conversation']],
    [{ prompt: { id: 'pmpt_1' } }, ['unsupported_parameter', 'prompt']],
    [{ previous_response_id: 'resp_x' }, ['invalid_request', 'previous_response_id']],
    [
      { tools: [{ type: 'function', name: 'f' }, { type: 'hologram' }] },
      ['unsupported_parameter', 'tools[1].type'],
    ],
    [{ tool_choice: { type: 'local_shell' } }, ['unsupported_value', 'tool_choice.type']],
    [
      { input: [user, { type: 'item_reference', id: 'msg_1' }] },
      ['invalid_request', 'input[1].id'],
    ],
    [{ input: [user, { id: 'msg_1' }] }, ['invalid_request', 'input[1].id']],
    [{ input: [{ type: 'hologram_call', id: 'c' }] }, ['unsupported_parameter', 'input[0].type']],
    [{ input: [{ type: 'computer_call', id: 'c' }] }, ['missing_parameter', 'input[0].call_id']],
    [
      { input: [{ role: 'user', content: [{ type: 'input_video' }] }] },
      ['unsupported_value', 'input[0].content[0].type'],
    ],
    [
      { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'file-1' }] }] },
      ['unsupported_parameter', 'input[0].content[0].file_id'],
    ],
    [
      { input: [{ role: 'user', content: [{ type: 'input_image' }] }] },
      ['missing_parameter', 'input[0].content[0].image_url'],
    ],
    [
      { input: [{ role: 'user', content: [{ type: 'input_file' }] }] },
      ['missing_parameter', 'input[0].content[0].file_data'],
    ],
    [{ input: [{ role: 'user' }] }, ['missing_parameter', 'input[0].content']],
    [{ input: [{ content: 'x' }] }, ['missing_parameter', 'input[0].role']],
    [{ input: [user, output('call_1')] }, ['invalid_request', 'input[1].call_id']],
    [
      { input: [user, call('a'), output('a'), output('a')] },
      ['invalid_request', 'input[3].call_id'],
    ],
    [
      { input: [user, { type: 'function_call', call_id: 'a' }] },
      ['missing_parameter', 'input[1].name'],
    ],
    [
      { input: [user, call('a'), { type: 'function_call_output', call_id: 'a' }] },
      ['missing_parameter', 'input[2].output'],
    ],
    [{ input: 7 }, ['invalid_request', 'input']],
    [{ max_output_tokens: 0 }, ['invalid_request', 'max_output_tokens']],
  ])('%j', (fields, told) => {
    expect(refusal(fields)).toEqual(told)
  })

  it.each([
    { background: false, truncation: 'disabled', conversation: null, store: true },
    {
      max_tool_calls: 4,
      prompt_cache_retention: '24h',
      stream_options: { include_obfuscation: false },
    },
    { include: ['reasoning.encrypted_content', 'web_search_call.action.sources'] },
  ])('accepts default values: %j', (fields) => {
    expect(canonical(fields)).toEqual({ model: 'm', messages: [{ role: 'user', content: 'x' }] })
  })
})

describe('items translated to messages', () => {
  const messages = (...input: readonly object[]) => canonical({ input }).messages

  it('join one answer’s reasoning, text and calls', () => {
    const reasoning = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'hm' }],
      encrypted_content: 'gAAA',
    }
    expect(
      messages(
        user,
        reasoning,
        answer('I look.'),
        call('a'),
        call('b'),
        output('b'),
        output('a'),
        user,
      ),
    ).toEqual([
      user,
      {
        role: 'assistant',
        content: 'I look.',
        reasoning_content: 'hm',
        thinking_blocks: [
          { type: 'reasoning', id: 'rs_1', summary: ['hm'], encrypted_content: 'gAAA' },
        ],
        tool_calls: ['a', 'b'].map((id) => ({
          id,
          type: 'function',
          function: { name: 'f', arguments: '{}' },
        })),
      },
      { role: 'tool', tool_call_id: 'b', content: 'ok' },
      { role: 'tool', tool_call_id: 'a', content: 'ok' },
      user,
    ])
  })

  it('join text after calls, since results must follow calls', () => {
    expect(messages(user, answer('One.'), call('a'), answer('Two.'), output('a'))[1]).toMatchObject(
      {
        content: 'One.\n\nTwo.',
        tool_calls: [{ id: 'a' }],
      },
    )
  })

  it('keep two messages of one answer separate', () => {
    expect(messages(user, answer('One.'), answer('Two.')).slice(1)).toEqual([
      { role: 'assistant', content: 'One.' },
      { role: 'assistant', content: 'Two.' },
    ])
  })

  it('attach reasoning to the next answer', () => {
    const reasoning = {
      type: 'reasoning',
      summary: [],
      encrypted_content: carry({ type: 'redacted_thinking', data: 'd' }),
    }
    expect(messages(user, answer('One.'), reasoning, answer('Two.')).slice(1)).toEqual([
      { role: 'assistant', content: 'One.' },
      {
        role: 'assistant',
        content: 'Two.',
        thinking_blocks: [{ type: 'redacted_thinking', data: 'd' }],
      },
    ])
  })

  it('keep a late signature with its text', () => {
    const thought = { type: 'thought', signature: 's' }
    const late = { type: 'reasoning', summary: [], encrypted_content: carry(thought) }
    expect(messages(user, answer('One.'), late).slice(1)).toEqual([
      { role: 'assistant', content: 'One.', thinking_blocks: [{ ...thought, place: 1 }] },
    ])
  })

  it('put images of a tool after its result', () => {
    const seen = {
      type: 'function_call_output',
      call_id: 'a',
      output: [
        { type: 'input_image', image_url: 'https://e.example/a' },
        { type: 'input_text', text: 'a cat' },
      ],
    }
    expect(messages(user, call('a'), call('b'), seen, output('b')).slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'a cat' },
      { role: 'tool', tool_call_id: 'b', content: 'ok' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://e.example/a' } }] },
    ])
  })

  it('keep custom calls and refusals', () => {
    expect(
      messages(
        user,
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
        user,
        { type: 'custom_tool_call', call_id: 'a', name: 'sql', input: 'SELECT 1' },
        { type: 'custom_tool_call_output', call_id: 'a', output: '1' },
      ).slice(1),
    ).toEqual([
      { role: 'assistant', content: null, refusal: 'No.' },
      user,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'sql', input: 'SELECT 1' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '1' },
    ])
  })

  it('keep audio and files by URL', () => {
    const audio = { data: 'UklGRg==', format: 'wav' }
    expect(
      messages({
        role: 'user',
        content: [
          { type: 'input_audio', input_audio: audio },
          { type: 'input_file', file_url: 'https://e.example/a.pdf' },
        ],
      }),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'input_audio', input_audio: audio },
          { type: 'file', file: { file_data: 'https://e.example/a.pdf' } },
        ],
      },
    ])
  })
})

describe('settings', () => {
  it.each([
    [{ reasoning: { effort: 'low', summary: 'auto' } }, { reasoning_effort: 'low' }],
    [
      { text: { verbosity: 'high', format: { type: 'json_object' } } },
      { verbosity: 'high', response_format: { type: 'json_object' } },
    ],
    [
      { include: ['message.output_text.logprobs'], top_logprobs: 3 },
      { logprobs: true, top_logprobs: 3 },
    ],
    [{ top_logprobs: 3 }, {}],
    [
      {
        tools: [
          {
            type: 'web_search',
            search_context_size: 'low',
            user_location: { type: 'approximate', city: 'Bern' },
          },
        ],
      },
      {
        web_search_options: {
          search_context_size: 'low',
          user_location: { type: 'approximate', approximate: { city: 'Bern' } },
        },
      },
    ],
    [
      {
        tools: [
          {
            type: 'custom',
            name: 'sql',
            format: { type: 'grammar', syntax: 'regex', definition: '.+' },
          },
        ],
      },
      {
        tools: [
          {
            type: 'custom',
            custom: {
              name: 'sql',
              format: { type: 'grammar', grammar: { syntax: 'regex', definition: '.+' } },
            },
          },
        ],
      },
    ],
    [
      {
        tools: [{ type: 'function', name: 'f', strict: null, parameters: null, description: null }],
        tool_choice: { type: 'function', name: 'f' },
      },
      {
        tools: [{ type: 'function', function: { name: 'f' } }],
        tool_choice: { type: 'function', function: { name: 'f' } },
      },
    ],
  ])('%j', (fields, told) => {
    expect(canonical(fields)).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'x' }],
      ...told,
    })
  })

  it.each([
    ['max_completion_tokens', 'max_output_tokens'],
    ['messages[3].content[0].image_url', 'input'],
    ['response_format.json_schema.schema', 'text.format.schema'],
    ['tools[2].function.parameters', 'tools[2].parameters'],
    ['reasoning_effort', 'reasoning.effort'],
    ['temperature', 'temperature'],
  ])('an error about %s names %s', (given, told) => {
    expect(responses.paramOf?.(given, {})).toBe(told)
  })
})
