import { describe, expect, it } from 'vitest'
import { passes } from '../../../test/support/passes.ts'
import { countingIds, formatContext } from '../../../test/support/codec-context.ts'
import type { ChatReply } from '../../contract/src/operations/chat.ts'
import { operations } from '../../contract/src/operations/index.ts'
import { chatUsage } from '../../contract/src/operations/usage-shape.ts'
import { validate } from '../../contract/src/operations/validate.ts'
import { carry } from '../src/carried-reasoning.ts'
import { responses } from '../src/openai-responses/client/formats.ts'
import {
  inputItems,
  referredResponses,
  withHistory,
  withReferences,
} from '../src/openai-responses/client/history.ts'
import { ResponseObject, type ResponsesRequest } from '../src/openai-responses/client/schema.ts'
import { nativeResponses } from '../src/openai/index.ts'

function canonical(fields: object) {
  const request = validate(responses.request, { model: 'm', input: 'x', ...fields })
  const value = validate(operations.chat.request, responses.toCanonical(request, formatContext()))
  operations.chat.check?.(value)
  return value
}

const reply = (message: object, rest: object = {}): ChatReply => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'public-model',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: null, refusal: null, ...message },
      finish_reason: 'stop',
      logprobs: null,
      ...rest,
    },
  ],
  usage: chatUsage({ inputTokens: 1, outputTokens: 2 }),
  system_fingerprint: null,
})

const user = { role: 'user' as const, content: 'Hi' }
const asked = { include: ['reasoning.encrypted_content'] }

describe('Responses objects', () => {
  const response = (message: object, rest: object = {}, request: object = {}) =>
    validate(
      ResponseObject,
      responses.fromCanonical(
        reply(message, rest),
        { model: 'm', input: 'x', ...request },
        formatContext(),
      ),
    )

  it('echo the request', () => {
    const request = {
      instructions: 'Be brief.',
      max_output_tokens: 99,
      previous_response_id: 'resp_0',
      reasoning: { effort: 'low' },
      temperature: 0,
      text: { format: { type: 'json_object' } },
      tools: [{ type: 'function', name: 'f' }],
      tool_choice: 'required',
      parallel_tool_calls: false,
      metadata: { a: 'b' },
      store: false,
    }
    expect(response({ content: 'x' }, {}, request)).toMatchObject({
      ...request,
      reasoning: { effort: 'low', summary: null },
      text: { format: { type: 'json_object' }, verbosity: 'medium' },
      tools: [{ type: 'function', name: 'f', description: null, parameters: null, strict: null }],
    })
  })

  it('contain reasoning, message and calls in this order', () => {
    const message = {
      content: 'text',
      reasoning_content: 'hm',
      tool_calls: [
        {
          id: 'a',
          type: 'function',
          function: { name: 'f', arguments: '' },
          extra_content: { google: { thought_signature: 's' } },
        },
        { id: 'b', type: 'custom', custom: { name: 'sql', input: '1' } },
      ],
    }
    const { output: items } = response(message, {}, asked)
    expect(items.map(({ type }) => type)).toEqual([
      'reasoning',
      'message',
      'reasoning',
      'function_call',
      'custom_tool_call',
    ])
    expect(items[2]).toMatchObject({
      encrypted_content: carry({ kind: 'call_signatures', signatures: { a: 's' } }),
    })
    expect(items[3]).toMatchObject({ call_id: 'a', arguments: '{}' })
    const plain = response(message).output
    expect(plain.map(({ type }) => type)).toEqual([
      'reasoning',
      'message',
      'function_call',
      'custom_tool_call',
    ])
    expect(plain[2]?.['call_id']).toMatch(/^a[a-zA-Z0-9_-]+$/)
    const call = { role: 'assistant', tool_calls: [message.tool_calls[0]] }
    const { messages } = canonical({
      input: [
        plain[2],
        { type: 'function_call_output', call_id: plain[2]?.['call_id'], output: '1' },
      ],
    })
    expect(messages).toMatchObject([
      {
        ...call,
        tool_calls: [{ ...message.tool_calls[0], function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a' },
    ])
  })

  it('start with the message if the reasoning is unreadable for the caller', () => {
    const thinking_blocks = [
      { type: 'thought', signature: 'c2ln' },
      { type: 'reasoning', encrypted_content: 'gA' },
    ]
    const types = (request: object) =>
      response({ content: 'x', thinking_blocks }, {}, request).output.map(({ type }) => type)
    expect(types({})).toEqual(['message'])
    expect(types(asked)).toEqual(['reasoning', 'reasoning', 'message'])
  })

  it('contain logprobs and images', () => {
    const tokens = [{ token: 'x', logprob: -1, bytes: [120], top_logprobs: [] }]
    const logprobs = { content: tokens, refusal: null }
    const asked = { include: ['message.output_text.logprobs'] }
    const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } }]
    const { output: items } = response({ content: 'x', images }, { logprobs }, asked)
    expect(items).toMatchObject([
      { content: [{ logprobs: tokens }] },
      { type: 'image_generation_call', result: 'iVBO' },
    ])
    expect(response({ content: 'x' }, { logprobs }).output).toMatchObject([
      { content: [{ logprobs: [] }] },
    ])
  })
})

describe('stored conversations', () => {
  it('have item ids and full content', () => {
    const input: ResponsesRequest['input'] = [
      { role: 'user', content: 'Hi' },
      { type: 'reasoning', id: 'rs_9', summary: [] },
      { type: 'function_call_output', call_id: 'a', output: 'ok' },
    ]
    expect(inputItems({ input }, countingIds())).toEqual([
      {
        id: 'msg_1',
        type: 'message',
        role: 'user',
        status: 'completed',
        content: [{ type: 'input_text', text: 'Hi' }],
      },
      { id: 'rs_9', type: 'reasoning', summary: [] },
      { id: 'fco_2', type: 'function_call_output', call_id: 'a', output: 'ok' },
    ])
    expect(inputItems({ input: 'Hi' }, countingIds())).toMatchObject([
      { id: 'msg_1', role: 'user' },
    ])
  })

  it.each([
    ['user', { type: 'input_text', text: 'Hi' }],
    ['system', { type: 'input_text', text: 'Hi' }],
    ['developer', { type: 'input_text', text: 'Hi' }],
    ['assistant', { type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }],
  ] as const)('list text of the role %s', (role, part) => {
    expect(inputItems({ input: [{ role, content: 'Hi' }] }, countingIds())).toMatchObject([
      { role, content: [part] },
    ])
  })

  it('prepend the earlier items once and drop the id', () => {
    const previous = inputItems({ input: 'First' }, countingIds())
    const request: ResponsesRequest = {
      model: 'm',
      input: 'Second',
      previous_response_id: 'resp_1',
    }
    const continued = withHistory(request, previous)
    expect(continued).not.toHaveProperty('previous_response_id')
    expect(canonical(continued).messages).toEqual([
      { role: 'user', content: 'First' },
      { role: 'user', content: 'Second' },
    ])
    const referring = withHistory(
      { ...request, input: [{ type: 'item_reference', id: 'msg_1' }] },
      previous,
    )
    expect(canonical(referring).messages).toEqual([{ role: 'user', content: 'First' }])
  })
})

describe('item references', () => {
  it('are replaced by the items of their response', () => {
    const response = responses.fromCanonical(
      reply({
        content: 'Look.',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
      }),
      { model: 'm', input: 'x' },
      formatContext(),
    ) as { readonly id: string; readonly output: readonly { id: string; type: string }[] }
    const asked: ResponsesRequest = {
      model: 'm',
      input: [
        user,
        ...response.output.map(({ id }) => ({ type: 'item_reference', id })),
        { type: 'item_reference', id: 'msg_of_another_1' },
        { type: 'function_call_output', call_id: 'a', output: 'ok' },
      ],
    }
    expect(referredResponses(asked)).toEqual([response.id, 'resp_of_another'])
    const { input } = withReferences(asked, response.output)
    expect(input.slice(1, 4)).toEqual([
      ...response.output,
      { type: 'item_reference', id: 'msg_of_another_1' },
    ])
    expect(referredResponses({ input: 'x' })).toEqual([])
  })
})

describe('a Responses request passes unchanged', () => {
  it('unless it contains foreign reasoning', () => {
    const item = (encrypted: string) => ({
      type: 'reasoning',
      summary: [],
      encrypted_content: encrypted,
    })
    expect(passes(nativeResponses, { input: 'x' })).toBe(true)
    expect(passes(nativeResponses, { input: [item('gAAAA')] })).toBe(true)
    expect(passes(nativeResponses, { input: [item(carry({ type: 'thinking' }))] })).toBe(false)
  })
})
