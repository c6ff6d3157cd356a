import { describe, expect, it } from 'vitest'
import { formats } from '../src/formats.ts'

const png = 'data:image/png;base64,AAAA'

function pathIn(format: string, request: object, canonical: string): string | undefined {
  return formats.find(({ id }) => id === format)?.paramOf?.(canonical, request)
}

describe('maps a canonical path into tools to the caller’s path', () => {
  const schema = { type: 'object' }
  it.each([
    [
      'messages',
      {
        tools: [
          { type: 'web_search_20250305', name: 'web_search' },
          { name: 'f', input_schema: schema },
        ],
      },
      'tools[0].function.parameters.x',
      'tools[1].input_schema.x',
    ],
    [
      'messages',
      { tools: [{ name: 'f', input_schema: schema }] },
      'tools[0].input_examples',
      'tools[0].input_examples',
    ],
    [
      'generateContent',
      {
        tools: [
          { googleSearch: {} },
          { functionDeclarations: [{ name: 'f' }] },
          { function_declarations: [{ name: 'g' }, { name: 'h' }] },
        ],
      },
      'tools[2].function.strict',
      'tools[2].functionDeclarations[1].strict',
    ],
  ])('%s %j', (format, request, canonical, own) => {
    expect(pathIn(format, request, canonical)).toBe(own)
  })
})

describe('maps a canonical path into messages to the caller’s path', () => {
  const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' }
  const messages = {
    model: 'm',
    max_tokens: 9,
    system: 'Be brief.',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image', source },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'b' },
          { type: 'tool_use', id: 't1', name: 'f', input: {} },
          { type: 'tool_use', id: 't2', name: 'g', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'image', source },
          { type: 'tool_result', tool_use_id: 't1', content: 'x' },
          {
            type: 'tool_result',
            tool_use_id: 't2',
            content: [
              { type: 'text', text: 'y' },
              { type: 'image', source },
            ],
          },
        ],
      },
    ],
  }
  // Canonical: system, user, assistant, tool, tool, user with the picture of the result before its own.
  it.each([
    ['messages[1].content[1].image_url.url', 'messages[0].content[1].source'],
    ['messages[1].content[1].image_url.detail', 'messages[0].content[1]'],
    ['messages[2].tool_calls[1].function.arguments', 'messages[1].content[2].input'],
    ['messages[4].tool_call_id', 'messages[2].content[2].tool_use_id'],
    ['messages[5].content[0].image_url.url', 'messages[2].content[2].content[1].source'],
    ['messages[5].content[1].image_url.url', 'messages[2].content[0].source'],
    ['messages[9].content[0].image_url.url', 'messages'],
  ])('messages: %s', (canonical, own) => {
    expect(pathIn('messages', messages, canonical)).toBe(own)
  })

  const responses = {
    model: 'm',
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'a' }] },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      { type: 'function_call', call_id: 'c2', name: 'g', arguments: '{}' },
      {
        type: 'function_call_output',
        call_id: 'c2',
        output: [{ type: 'input_image', image_url: png }],
      },
      { type: 'function_call_output', call_id: 'c1', output: 'x' },
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: png, detail: 'low' },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
        ],
      },
    ],
  }
  it.each([
    ['messages[2].tool_calls[1].function.arguments', 'input[2].arguments'],
    ['messages[3].tool_call_id', 'input[3].call_id'],
    ['messages[4].tool_call_id', 'input[4].call_id'],
    ['messages[5].content[0].image_url.url', 'input[3].output[0].image_url'],
    ['messages[6].content[0].image_url.detail', 'input[5].content[0].detail'],
    ['messages[6].content[1].file.file_data', 'input[5].content[1].file_data'],
    ['messages[1].content', 'input'],
  ])('responses: %s', (canonical, own) => {
    expect(pathIn('responses', responses, canonical)).toBe(own)
  })

  const inlineData = { mimeType: 'image/png', data: 'AAAA' }
  const contents = {
    model: 'm',
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'a' }, { inlineData }] },
      { role: 'model', parts: [{ functionCall: { id: 'c', name: 'f', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'c', name: 'f', response: {} } }] },
      {
        role: 'user',
        parts: [{ inlineData, mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' } }],
      },
    ],
    generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_LOW' },
  }
  it.each([
    ['messages[1].content[1].image_url.url', 'contents[0].parts[1]'],
    ['messages[1].content[1].image_url.detail', 'generationConfig.mediaResolution'],
    ['messages[2].tool_calls[0].function.arguments', 'contents[1].parts[0].functionCall.args'],
    ['messages[3].tool_call_id', 'contents[2].parts[0].functionResponse'],
    ['messages[4].content[0].image_url.detail', 'contents[3].parts[0].mediaResolution'],
  ])('generateContent: %s', (canonical, own) => {
    expect(pathIn('generateContent', contents, canonical)).toBe(own)
  })
})
