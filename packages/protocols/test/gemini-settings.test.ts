import { describe, expect, test } from 'vitest'
import { leftOut, refused, sent } from '../../../test/support/formats/gemini-request.ts'
import type { ChatRequest } from '../../contract/src/operations/chat-request.ts'

describe('chat settings for Gemini', () => {
  test.each<[string, Partial<ChatRequest>, string, unknown]>([
    [
      'effort as a level',
      { reasoning_effort: 'low' },
      'gemini-3-pro',
      { thinkingLevel: 'LOW', includeThoughts: true },
    ],
    [
      'effort as a budget',
      { reasoning_effort: 'medium' },
      'gemini-2.5-flash',
      { thinkingBudget: 8192, includeThoughts: true },
    ],
    [
      'the most there is',
      { reasoning_effort: 'max' },
      'gemini-2.5-pro',
      { thinkingBudget: 32_768, includeThoughts: true },
    ],
    ['no thinking', { reasoning_effort: 'none' }, 'gemini-2.5-flash', { thinkingBudget: 0 }],
    [
      'a budget',
      { thinking_budget: 512 },
      'gemini-2.5-flash-lite',
      { thinkingBudget: 512, includeThoughts: true },
    ],
    [
      'as much as it likes',
      { thinking_budget: -1 },
      'gemini-3-flash',
      { thinkingBudget: -1, includeThoughts: true },
    ],
    [
      'an effort beside a budget left to the model',
      { thinking_budget: -1, reasoning_effort: 'low' },
      'gemini-3-pro-preview',
      { thinkingLevel: 'LOW', includeThoughts: true },
    ],
    [
      'an effort beside a budget left to an older model',
      { thinking_budget: -1, reasoning_effort: 'low' },
      'gemini-2.5-flash',
      { thinkingBudget: 1024, includeThoughts: true },
    ],
    [
      'a budget before an effort',
      { thinking_budget: 512, reasoning_effort: 'low' },
      'gemini-2.5-flash',
      { thinkingBudget: 512, includeThoughts: true },
    ],
    ['nothing', {}, 'gemini-3-flash', undefined],
    [
      'more than the highest level',
      { reasoning_effort: 'xhigh' },
      'gemini-3-pro',
      { thinkingLevel: 'HIGH', includeThoughts: true },
    ],
    [
      'none of a model that does not think',
      { reasoning_effort: 'none' },
      'gemini-2.0-flash',
      undefined,
    ],
  ])('thinking: %s', (_name, fields, model, expected) => {
    expect(sent(fields, model).generationConfig?.['thinkingConfig']).toEqual(expected)
  })

  test.each<[string, Partial<ChatRequest>, string, string]>([
    ['logit_bias', { logit_bias: { 5: 1 } }, 'gemini-3-pro', 'logit_bias'],
    [
      'mp3',
      { modalities: ['text', 'audio'], audio: { voice: 'Kore', format: 'mp3' } },
      'gemini-3-pro',
      'audio.format',
    ],
    ['nine answers', { n: 9 }, 'gemini-3-pro', 'n'],
  ])('rejects %s', (_name, fields, model, param) => {
    expect(refused(fields, model)).toBe(param)
  })

  const tools: ChatRequest['tools'] = [{ type: 'function', function: { name: 'f' } }]
  test.each<[string, Partial<ChatRequest>, string, string]>([
    [
      'one call at a time',
      { tools, parallel_tool_calls: false },
      'gemini-3-pro',
      'parallel_tool_calls',
    ],
    [
      'a place to search from',
      { web_search_options: { user_location: {} } },
      'gemini-3-pro',
      'web_search_options.user_location',
    ],
    ['thinking in 2.0', { thinking_budget: 100 }, 'gemini-2.0-flash', 'thinking_budget'],
    ['effort in 2.0', { reasoning_effort: 'low' }, 'gemini-2.0-flash', 'reasoning_effort'],
    ['verbosity', { verbosity: 'high' }, 'gemini-3-pro', 'verbosity'],
    ['scale', { service_tier: 'scale' }, 'gemini-3-pro', 'service_tier'],
    ['who asks', { user: 'u' }, 'gemini-3-pro', 'user'],
  ])('drops and reports %s', (_name, fields, model, param) => {
    expect(leftOut(fields, model)).toEqual([param])
  })

  test.each<[Partial<ChatRequest>, string, object]>([
    [{ reasoning_effort: 'none' }, 'gemini-3-pro', { thinkingLevel: 'LOW' }],
    [{ reasoning_effort: 'none' }, 'gemini-3-flash', { thinkingLevel: 'MINIMAL' }],
    [{ reasoning_effort: 'none' }, 'gemini-3.8-flash', { thinkingLevel: 'LOW' }],
    [{ reasoning_effort: 'none' }, 'gemini-2.5-pro', { thinkingBudget: 128 }],
    [{ thinking_budget: 0 }, 'gemini-2.5-pro', { thinkingBudget: 128 }],
  ])('raises %j of %s, which always thinks, to its minimum', (fields, model, thinkingConfig) => {
    expect(leftOut(fields, model)).toEqual(Object.keys(fields))
    expect(sent(fields, model).generationConfig).toEqual({ thinkingConfig })
  })

  test.each([
    ['minimal', 'gemini-3-flash-preview', 'MINIMAL'],
    ['minimal', 'gemini-3.1-flash-lite', 'MINIMAL'],
    ['minimal', 'gemini-3.8-flash', 'LOW'],
    ['minimal', 'gemini-3.1-pro-preview', 'LOW'],
    ['medium', 'gemini-3.1-pro-preview', 'MEDIUM'],
    ['medium', 'gemini-3-pro-preview', 'HIGH'],
    ['low', 'gemini-3.1-flash-image', 'MINIMAL'],
    ['low', 'gemini-3-pro-image-preview', 'HIGH'],
  ] as const)('maps the effort %s to the nearest level of %s', (effort, model, level) => {
    const { generationConfig } = sent({ reasoning_effort: effort }, model)
    expect(generationConfig?.['thinkingConfig']).toMatchObject({ thinkingLevel: level })
  })

  test('drops default values silently', () => {
    const body = sent({
      n: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      logprobs: false,
      top_k: 0,
      stop: [],
      tools: [],
      logit_bias: {},
      response_format: { type: 'text' },
      verbosity: 'medium',
      service_tier: 'auto',
      parallel_tool_calls: true,
      user: 'u',
      metadata: { a: 'b' },
      store: true,
      modalities: ['text'],
      temperature: null,
    })
    expect(Object.keys(body)).toEqual(['contents'])
  })

  test('translates logprobs, n, stop, seed and speech', () => {
    const { generationConfig: config } = sent({
      n: 2,
      logprobs: true,
      top_logprobs: 3,
      stop: ['END'],
      seed: 4,
      modalities: ['text', 'audio'],
      audio: { voice: { id: 'Kore' }, format: 'wav' },
    })
    expect(config).toEqual({
      candidateCount: 2,
      stopSequences: ['END'],
      seed: 4,
      responseLogprobs: true,
      logprobs: 3,
      responseModalities: ['TEXT', 'AUDIO'],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
    })
    const speech = sent({ modalities: ['text', 'audio'] }, 'gemini-2.5-flash-preview-tts')
    expect(speech.generationConfig).toEqual({ responseModalities: ['AUDIO'] })
  })

  const f = (strict?: boolean) => ({
    type: 'function' as const,
    function: {
      name: 'f',
      parameters: { type: 'object', properties: { a: { const: 1 } } },
      ...(strict === undefined ? {} : { strict }),
    },
  })

  test.each<[string, Partial<ChatRequest>, unknown]>([
    ['none', { tool_choice: 'none' }, { mode: 'NONE' }],
    ['required', { tool_choice: 'required' }, { mode: 'ANY' }],
    [
      'one',
      { tool_choice: { type: 'function', function: { name: 'f' } } },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
    [
      'some, if any',
      {
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
        },
      },
      { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
    ],
    ['auto', { tool_choice: 'auto' }, undefined],
  ])('tool choice: %s', (_name, fields, expected) => {
    const { toolConfig } = sent({ tools: [f()], ...fields })
    expect(toolConfig).toEqual(expected && { functionCallingConfig: expected })
  })

  test('maps a strict function to mode VALIDATED', () => {
    const { toolConfig } = sent({ tools: [f(true)] })
    expect(toolConfig).toEqual({ functionCallingConfig: { mode: 'VALIDATED' } })
  })

  test('sends the schema subset to older models and the schema to newer ones', () => {
    expect(sent({ tools: [f()] }, 'gemini-2.0-flash').tools).toEqual([
      {
        functionDeclarations: [
          {
            name: 'f',
            parameters: {
              type: 'OBJECT',
              properties: { a: { type: 'INTEGER', minimum: 1, maximum: 1 } },
            },
          },
        ],
      },
    ])
    expect(sent({ tools: [f()] }).tools).toEqual([
      {
        functionDeclarations: [
          { name: 'f', parametersJsonSchema: { type: 'object', properties: { a: { const: 1 } } } },
        ],
      },
    ])
  })
})
