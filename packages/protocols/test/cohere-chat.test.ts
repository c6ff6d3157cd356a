import { describe, expect, test } from 'vitest'
import { codecContext, received } from '../../../test/support/codec-context.ts'
import { encodedChat, userMessage } from '../../../test/support/formats/encoded-chat.ts'
import { readStream } from '../../../test/support/formats/read-stream.ts'
import type { ChatRequest } from '../../contract/src/operations/chat-request.ts'
import { cohere } from '../src/cohere/index.ts'

const codec = cohere.codecs.chat!
const reasoner = 'command-a-reasoning-08-2025'
const { sent, refusal, leftOut } = encodedChat(codec, 'command-a-03-2025')
const tools: ChatRequest['tools'] = [
  { type: 'function', function: { name: 'f' } },
  { type: 'function', function: { name: 'g', parameters: { type: 'object' } } },
]

describe('chat fields for Cohere', () => {
  test('are renamed', () => {
    expect(
      sent({
        max_completion_tokens: 5,
        temperature: 0.3,
        top_p: 0.9,
        top_k: 4,
        stop: ['END'],
        seed: 7,
        presence_penalty: 0.5,
        logprobs: true,
        stream: true,
        user: 'u',
        stream_options: { include_usage: true },
      }),
    ).toEqual({
      model: 'command-a-03-2025',
      messages: [userMessage],
      stream: true,
      max_tokens: 5,
      temperature: 0.3,
      p: 0.9,
      k: 4,
      stop_sequences: ['END'],
      seed: 7,
      presence_penalty: 0.5,
      logprobs: true,
    })
  })

  test.each<[string, Partial<ChatRequest>]>([
    ['logit_bias', { logit_bias: { '1': 2 } }],
    ['top_logprobs', { logprobs: true, top_logprobs: 2 }],
    ['modalities', { modalities: ['text', 'audio'] }],
    [
      'messages[0].content[0].type',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_data: 'x' } }] }] },
    ],
  ])('%s is rejected', (param, request) => {
    expect(refusal(request)).toBe(param)
  })

  test.each<[string, Partial<ChatRequest>]>([
    ['frequency_penalty', { frequency_penalty: -1 }],
    ['presence_penalty', { presence_penalty: 1.5 }],
    [
      'tools[1].function.strict',
      { tools: [tools[0]!, { type: 'function', function: { name: 'g', strict: true } }] },
    ],
    ['parallel_tool_calls', { tools, parallel_tool_calls: false }],
    ['reasoning_effort', { reasoning_effort: 'high' }],
    ['service_tier', { service_tier: 'flex' }],
    ['user', { user: 'u' }],
    ['verbosity', { verbosity: 'low' }],
  ])('%s is dropped and reported', (param, request) => {
    expect(leftOut(request)).toEqual([param])
  })

  test.each<[ChatRequest['tool_choice'], unknown, string[]]>([
    ['auto', undefined, ['f', 'g']],
    ['none', 'NONE', ['f', 'g']],
    ['required', 'REQUIRED', ['f', 'g']],
    [{ type: 'function', function: { name: 'g' } }, 'REQUIRED', ['g']],
    [
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
      undefined,
      ['f'],
    ],
  ])('tool_choice %j is translated', (choice, word, names) => {
    const body = sent({ tools, tool_choice: choice! })
    expect(body['tool_choice']).toBe(word)
    const offered = body['tools'] as { function: { name: string; parameters: object } }[]
    expect(offered.map((tool) => tool.function.name)).toEqual(names)
    expect(offered.every((tool) => 'type' in tool.function.parameters)).toBe(true)
  })

  test('a schema becomes json_object with that schema', () => {
    const schema = { type: 'object', properties: {} }
    const format = { type: 'json_schema' as const, json_schema: { name: 'x', schema } }
    expect(sent({ response_format: format })['response_format']).toEqual({
      type: 'json_object',
      json_schema: schema,
    })
  })

  test.each<[Partial<ChatRequest>, unknown]>([
    [{}, undefined],
    [{ reasoning_effort: 'none' }, { type: 'disabled' }],
    [{ reasoning_effort: 'low' }, { type: 'enabled', token_budget: 2048 }],
    [{ reasoning_effort: 'high' }, { type: 'enabled' }],
    [{ thinking_budget: 300 }, { type: 'enabled', token_budget: 300 }],
    [{ thinking_budget: 0 }, { type: 'disabled' }],
  ])('thinking of a reasoning model: %j', (request, thinking) => {
    expect(sent(request, { model: reasoner })['thinking']).toEqual(thinking)
  })

  test('reasoning before calls becomes the tool plan', () => {
    const calls = [{ id: 'a', type: 'function' as const, function: { name: 'f', arguments: '' } }]
    expect(
      sent({
        messages: [
          { role: 'developer', content: 'Be brief.' },
          userMessage,
          {
            role: 'assistant',
            content: '',
            reasoning_content: 'I will call f.',
            tool_calls: calls,
          },
          { role: 'tool', tool_call_id: 'a', content: '1' },
        ],
      })['messages'],
    ).toEqual([
      { role: 'system', content: 'Be brief.' },
      userMessage,
      {
        role: 'assistant',
        tool_plan: 'I will call f.',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '1' },
    ])
  })
})

describe('Cohere’s answers', () => {
  const request: ChatRequest = { model: 'm', messages: [userMessage] }
  const decode = (body: object) =>
    codec.decode(received(JSON.stringify(body)), codecContext(), request)

  test('sum the logprobs of a run of tokens', () => {
    const { reply } = decode({
      message: { content: [{ type: 'text', text: 'Hi' }] },
      finish_reason: 'COMPLETE',
      logprobs: [{ text: 'Hi', token_ids: [1, 2], logprobs: [-0.25, -0.5] }],
    })
    expect(reply.choices[0]?.logprobs).toEqual({
      content: [{ token: 'Hi', logprob: -0.75, bytes: [72, 105], top_logprobs: [] }],
      refusal: null,
    })
  })

  test.each([
    ['ERROR', 'upstream_unavailable'],
    ['TIMEOUT', 'upstream_timeout'],
  ])('with finish reason %s are failures, streamed or not', (reason, code) => {
    expect(() => decode({ message: { content: [] }, finish_reason: reason })).toThrow(
      expect.objectContaining({ code }),
    )
    const data = JSON.stringify({
      type: 'message-end',
      delta: { finish_reason: reason, error: 'broke' },
    })
    const { error } = readStream(codec.stream!, {
      events: [{ event: 'message-end', data }],
      context: codecContext(),
      request,
    })
    expect(error).toMatchObject({ code, message: 'broke' })
  })

  test('that are cut have no finish, garbled lines are garbage, and error bodies are errors', () => {
    const { steps, verdicts, error } = readStream(codec.stream!, {
      events: [
        {
          event: '',
          data: '{"type":"content-delta","delta":{"message":{"content":{"thinking":"Hm"}}}}',
        },
        { event: '', data: '{"type":' },
        { event: '', data: '{"message":"internal server error"}' },
      ],
      context: codecContext(),
      request,
    })
    expect(verdicts).toEqual(['content', 'garbage'])
    expect(error).toMatchObject({ code: 'upstream_unavailable', message: 'internal server error' })
    const choices = steps.flatMap((step) => ('event' in step ? step.event.choices : []))
    expect(choices.map(({ finish_reason: reason }) => reason)).toEqual([null, null])
    expect(choices[1]?.delta).toEqual({ reasoning_content: 'Hm' })
  })

  test('have error messages that are parsed', () => {
    expect(
      cohere.failure(received('{"id":"x","message":"invalid api token"}', { status: 401 })),
    ).toEqual({
      message: 'invalid api token',
    })
    expect(cohere.failure(received('<html>', { status: 502 })).message).toContain('502')
  })

  test('list models with their context lengths', () => {
    expect(
      cohere.models?.decode({
        models: [{ name: 'command-a', context_length: 256_000 }, { name: 'embed' }],
      }),
    ).toEqual([{ id: 'command-a', inputTokenLimit: 256_000 }, { id: 'embed' }])
  })
})
