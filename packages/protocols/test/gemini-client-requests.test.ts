import { describe, expect, test } from 'vitest'
import { formatContext } from '../../../test/support/codec-context.ts'
import {
  answer,
  canonical,
  config,
  fault,
  faultOf,
  hello,
  parts,
  turns,
} from '../../../test/support/formats/gemini-client.ts'
import { EmbedRequest } from '../../contract/src/operations/embed.ts'
import { validate } from '../../contract/src/operations/validate.ts'
import { batchEmbedContents, embedContent } from '../src/gemini/client/embed.ts'
import { countTokens, generateContent } from '../src/gemini/client/formats.ts'
import type { ClientFormat } from '../src/client-format.ts'

describe('invalid Gemini requests name the client’s paths', () => {
  test.each<[object, string, string]>([
    [{ contents: [] }, 'invalid_request', 'contents'],
    [{ contents: undefined }, 'missing_parameter', 'contents'],
    [{ contents: [{ role: 'user', parts: [] }] }, 'invalid_request', 'contents[0].parts'],
    [
      { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] },
      'invalid_request',
      'contents[0].role',
    ],
    [parts({ text: 1 }), 'invalid_request', 'contents[0].parts[0].text'],
    [
      parts({ text: 'a' }, { inlineData: { mimeType: 'image/png' } }),
      'missing_parameter',
      'contents[0].parts[1].inlineData.data',
    ],
    [
      parts({ inlineData: { mimeType: 'image/png', data: 'not base64' } }),
      'invalid_request',
      'contents[0].parts[0].inlineData.data',
    ],
    [
      parts({ inlineData: { mimeType: 'audio/flac', data: 'AAAA' } }),
      'unsupported_parameter',
      'contents[0].parts[0].inlineData.mimeType',
    ],
    [
      parts({ fileData: { fileUri: 'gs://b/x.png' } }),
      'unsupported_parameter',
      'contents[0].parts[0].fileData.fileUri',
    ],
    [
      parts({ executableCode: { code: '1' } }),
      'unsupported_parameter',
      'contents[0].parts[0].executableCode',
    ],
    [
      parts({ functionResponse: { name: 'f', response: {} } }),
      'invalid_request',
      'contents[0].parts[0].functionResponse',
    ],
    [
      turns(['user', { text: 'a' }], ['model', { functionCall: { args: {} } }]),
      'missing_parameter',
      'contents[1].parts[0].functionCall.name',
    ],
    [
      turns(
        ['user', { text: 'a' }],
        ['model', { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } }],
      ),
      'unsupported_parameter',
      'contents[1].parts[0].inlineData',
    ],
    [config({ temperature: 2.1 }), 'invalid_request', 'generationConfig.temperature'],
    [{ generation_config: { top_p: -1 } }, 'invalid_request', 'generation_config.top_p'],
    [config({ topK: 1.5 }), 'invalid_request', 'generationConfig.topK'],
    [config({ candidateCount: 0 }), 'invalid_request', 'generationConfig.candidateCount'],
    [config({ maxOutputTokens: 0 }), 'invalid_request', 'generationConfig.maxOutputTokens'],
    [config({ stopSequences: 'END' }), 'invalid_request', 'generationConfig.stopSequences'],
    [config({ logprobs: 2 }), 'invalid_request', 'generationConfig.logprobs'],
    [
      config({ responseMimeType: 'text/html' }),
      'invalid_request',
      'generationConfig.responseMimeType',
    ],
    [
      config({ responseMimeType: 'text/x.enum' }),
      'invalid_request',
      'generationConfig.responseSchema',
    ],
    [
      config({ responseSchema: { type: 'STRING' } }),
      'invalid_request',
      'generationConfig.responseSchema',
    ],
    [
      config({ responseModalities: ['SMELL'] }),
      'invalid_request',
      'generationConfig.responseModalities[0]',
    ],
    [
      config({ thinkingConfig: { thinkingBudget: -2 } }),
      'invalid_request',
      'generationConfig.thinkingConfig.thinkingBudget',
    ],
    [
      config({ imageConfig: { aspectRatio: '1:1' } }),
      'unsupported_parameter',
      'generationConfig.imageConfig',
    ],
    [
      config({ mediaResolution: 'MEDIA_RESOLUTION_MEDIUM' }),
      'unsupported_parameter',
      'generationConfig.mediaResolution',
    ],
    [{ cachedContent: 'cachedContents/x' }, 'unsupported_parameter', 'cachedContent'],
    [
      {
        safetySettings: [
          { category: 'C', threshold: 'OFF' },
          { category: 'C', threshold: 'BLOCK_LOW_AND_ABOVE' },
        ],
      },
      'unsupported_parameter',
      'safetySettings[1]',
    ],
    [{ tools: [{ retrieval: {} }] }, 'unsupported_parameter', 'tools[0].retrieval'],
    [
      { tools: [{ functionDeclarations: [{ description: 'x' }] }] },
      'missing_parameter',
      'tools[0].functionDeclarations[0].name',
    ],
    [
      { tools: [{ functionDeclarations: [{ name: '' }] }] },
      'invalid_request',
      'tools[0].functionDeclarations[0].name',
    ],
    [
      { toolConfig: { functionCallingConfig: { mode: 'SOMETIMES' } } },
      'invalid_request',
      'toolConfig.functionCallingConfig.mode',
    ],
    [
      { systemInstruction: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] } },
      'unsupported_parameter',
      'systemInstruction.parts[0]',
    ],
    [{ serviceTier: 'golden' }, 'unsupported_parameter', 'serviceTier'],
  ])('%j', (fields, code, param) => {
    let seen = fault(fields)
    if ('param' in seen && seen.param === 'tools[0].function.name')
      seen = { ...seen, param: generateContent.paramOf?.(seen.param, {}) ?? '' }
    expect(seen).toEqual({ code, param })
  })

  test('canonical paths map to the client’s names', () => {
    const told = (path: string) => generateContent.paramOf?.(path, {})
    expect(told('tools[2].function.parameters.properties.a')).toBe(
      'tools[0].functionDeclarations[2].parameters.properties.a',
    )
    expect(told('tools[0].functionDeclarations[2]')).toBe('tools[0].functionDeclarations[2]')
    expect(told('reasoning_effort')).toBe('generationConfig.thinkingConfig.thinkingLevel')
    expect(told('messages[3].content[1].image_url.url')).toBe('contents')
    expect(told('tool_choice')).toBe('toolConfig.functionCallingConfig')
  })
})

describe('Gemini requests', () => {
  test('accept camel case and snake case', () => {
    const camel = canonical({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      generationConfig: {
        maxOutputTokens: 5,
        topP: 0.5,
        topK: 3,
        candidateCount: 2,
        stopSequences: ['x'],
        seed: 1,
        presencePenalty: 1,
        frequencyPenalty: -1,
        responseLogprobs: true,
        logprobs: 2,
        thinkingConfig: { thinkingBudget: 100 },
        responseModalities: ['AUDIO', 'TEXT'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
        mediaResolution: 'MEDIA_RESOLUTION_LOW',
      },
      serviceTier: 'flex',
      labels: { team: 'a' },
      safetySettings: [{ category: 'C', threshold: 'BLOCK_NONE' }],
    })
    expect(camel).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
      max_completion_tokens: 5,
      top_p: 0.5,
      top_k: 3,
      n: 2,
      stop: ['x'],
      seed: 1,
      presence_penalty: 1,
      frequency_penalty: -1,
      logprobs: true,
      top_logprobs: 2,
      thinking_budget: 100,
      modalities: ['text', 'audio'],
      audio: { voice: 'Kore', format: 'pcm16' },
      service_tier: 'flex',
    })
    expect(
      canonical({
        system_instruction: { parts: [{ text: 'Be brief.' }] },
        generation_config: {
          max_output_tokens: 5,
          top_p: 0.5,
          top_k: 3,
          candidate_count: 2,
          stop_sequences: ['x'],
          seed: 1,
          presence_penalty: 1,
          frequency_penalty: -1,
          response_logprobs: true,
          logprobs: 2,
          thinking_config: { thinking_budget: 100 },
          response_modalities: ['AUDIO', 'TEXT'],
          speech_config: { voice_config: { prebuilt_voice_config: { voice_name: 'Kore' } } },
          media_resolution: 'MEDIA_RESOLUTION_LOW',
        },
        service_tier: 'flex',
      }),
    ).toEqual(camel)
  })

  const declarations = [
    { name: 'f' },
    { name: 'g', parameters: { type: 'OBJECT', properties: {} } },
  ]

  test.each<[object, unknown]>([
    [{ mode: 'AUTO' }, 'auto'],
    [{ mode: 'NONE' }, 'none'],
    [{ mode: 'ANY' }, 'required'],
    [{ mode: 'VALIDATED' }, 'auto'],
    [
      { mode: 'ANY', allowedFunctionNames: ['g'] },
      { type: 'function', function: { name: 'g' } },
    ],
    [
      { mode: 'VALIDATED', allowed_function_names: ['g'] },
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'g' } }] },
      },
    ],
    [{}, undefined],
  ])('translate the tool choice %j', (functionCallingConfig, expected) => {
    const made = canonical({
      tools: [{ functionDeclarations: declarations }, { google_search: {} }],
      toolConfig: { functionCallingConfig },
    })
    expect(made.tool_choice).toEqual(expected)
    expect(made.web_search_options).toEqual({})
    expect(made.tools?.map((tool) => tool.function?.name)).toEqual(['f', 'g'])
  })

  test('match results to calls by id, or by name in order', () => {
    const made = canonical({
      ...turns(
        ['user', { text: 'Go' }],
        [
          'model',
          { functionCall: { name: 'f', args: { n: 1 } } },
          { functionCall: { name: 'f', args: { n: 2 } } },
          { functionCall: { id: 'mine', name: 'f', args: { n: 3 } } },
        ],
        [
          'user',
          { text: 'Here:' },
          { functionResponse: { id: 'mine', name: 'f', response: { output: 'third' } } },
          { functionResponse: { name: 'f', response: { output: 'first' } } },
        ],
        ['function', { functionResponse: { name: 'f', response: { a: 'second' } } }],
        ['model', { text: 'Done' }],
        ['user', { text: 'Thanks' }],
      ),
      tools: [{ functionDeclarations: declarations }],
    })
    expect(made.messages.map(({ role, content, tool_call_id: id }) => [role, content, id])).toEqual(
      [
        ['user', 'Go', undefined],
        ['assistant', null, undefined],
        ['tool', 'third', 'mine'],
        ['tool', 'first', 'call_1'],
        ['tool', '{"a":"second"}', 'call_2'],
        ['user', 'Here:', undefined],
        ['assistant', 'Done', undefined],
        ['user', 'Thanks', undefined],
      ],
    )
  })
})

describe('Gemini token counts', () => {
  test('accept contents or a whole request', () => {
    expect(canonical({}, countTokens).messages).toEqual([{ role: 'user', content: 'Hello' }])
    const whole = { contents: null, generateContentRequest: { ...hello, ...config({ seed: 1 }) } }
    expect(canonical(whole, countTokens)).toMatchObject({ model: 'm', seed: 1 })
    expect(fault({ contents: null }, countTokens)).toEqual({
      code: 'invalid_request',
      param: 'contents',
    })
    const inner = { ...hello, cachedContent: 'c' }
    expect(fault({ contents: null, generate_content_request: inner }, countTokens)).toEqual({
      code: 'unsupported_parameter',
      param: 'generateContentRequest.cachedContent',
    })
  })

  test('return the prompt’s tokens', () => {
    expect(countTokens.fromCanonical(answer({}), {}, formatContext())).toEqual({ totalTokens: 10 })
    expect(countTokens.counted?.(7)).toEqual({ totalTokens: 7 })
  })
})

describe('Gemini embeddings', () => {
  const content = (text: string) => ({ content: { parts: [{ text }] } })
  const made = (format: ClientFormat<'embed'>, fields: object) =>
    validate(
      EmbedRequest,
      format.toCanonical(validate(format.request, { model: 'e', ...fields }), formatContext()),
    )

  test('accept one or several inputs', () => {
    expect(
      made(embedContent, {
        ...content('a'),
        taskType: 'RETRIEVAL_QUERY',
        output_dimensionality: 8,
      }),
    ).toEqual({ model: 'e', input: 'a', dimensions: 8, input_type: 'search_query' })
    expect(
      made(batchEmbedContents, {
        requests: [content('a'), { ...content('b'), model: 'models/e' }],
      }),
    ).toEqual({ model: 'e', input: ['a', 'b'] })
  })

  test('return values', () => {
    const reply = {
      object: 'list' as const,
      model: 'e',
      data: [
        { object: 'embedding' as const, index: 1, embedding: [3] },
        { object: 'embedding' as const, index: 0, embedding: [1, 2] },
      ],
      usage: { prompt_tokens: 4, total_tokens: 4 },
    }
    expect(batchEmbedContents.fromCanonical(reply, {}, formatContext())).toMatchObject({
      embeddings: [{ values: [1, 2] }, { values: [3] }],
    })
    expect(embedContent.fromCanonical(reply, {}, formatContext())).toEqual({
      embedding: { values: [1, 2] },
      usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 },
    })
  })

  test.each<[ClientFormat<'embed'>, object, string]>([
    [
      embedContent,
      { content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] } },
      'content.parts[0]',
    ],
    [embedContent, { ...content('a'), title: 'T' }, 'title'],
    [embedContent, { ...content('a'), outputDimensionality: 0 }, 'outputDimensionality'],
    [
      batchEmbedContents,
      { requests: [content('a'), { ...content('b'), taskType: 'CLUSTERING' }] },
      'requests[1]',
    ],
    [batchEmbedContents, { requests: [] }, 'requests'],
  ])('reject what has no canonical form', (format, fields, param) => {
    expect(faultOf(() => made(format, fields))).toMatchObject({ param })
  })
})
