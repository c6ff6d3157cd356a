import { describe, expect, test } from 'vitest'
import { ask, chat, leftOut, refused, sent } from '../../../test/support/formats/gemini-request.ts'
import type { ChatRequest } from '../../contract/src/operations/chat-request.ts'

const call = (id: string, name: string, signature?: string) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: '{}' },
  ...(signature === undefined
    ? {}
    : { extra_content: { google: { thought_signature: signature } } }),
})

describe('chat history for Gemini', () => {
  test('puts all results of a step in one content, in the order of the calls', () => {
    const { contents } = sent({
      messages: [
        { role: 'user', content: 'Go' },
        { role: 'assistant', content: null, tool_calls: [call('a', 'f'), call('b', 'g')] },
        { role: 'system', content: 'Be quick.' },
        { role: 'tool', tool_call_id: 'b', content: '[1]' },
        { role: 'developer', content: 'Still quick.' },
        { role: 'tool', tool_call_id: 'a', content: '{"x":9007199254740993}' },
        { role: 'user', content: 'Well?' },
      ],
    })
    expect(contents.map(({ role }) => role)).toEqual(['user', 'model', 'user', 'user'])
    expect(JSON.stringify(contents[2]?.parts)).toBe(
      '[{"functionResponse":{"id":"a","name":"f","response":{"x":9007199254740993}}},' +
        '{"functionResponse":{"id":"b","name":"g","response":{"output":"[1]"}}}]',
    )
    expect(contents[3]?.parts).toEqual([
      { text: '<system>\nBe quick.\n</system>' },
      { text: '<system>\nStill quick.\n</system>' },
      { text: 'Well?' },
    ])
  })

  test('never sends contents without parts', () => {
    const { contents } = sent({
      messages: [
        { role: 'user', content: '' },
        { role: 'assistant', content: '' },
        { role: 'user', content: [{ type: 'text', text: '' }] },
      ],
    })
    expect(contents).toEqual([{ role: 'user', parts: [{ text: '.' }] }])
  })

  test('adds a user turn to system messages alone', () => {
    const { contents, systemInstruction } = sent({
      messages: [{ role: 'system', content: 'Say hello.' }],
    })
    expect(systemInstruction).toEqual({ parts: [{ text: 'Say hello.' }] })
    expect(contents).toEqual([{ role: 'user', parts: [{ text: '.' }] }])
  })

  test('returns Gemini 3’s signature on its call', () => {
    const messages: ChatRequest['messages'] = [
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: null, tool_calls: [call('a', 'f', 'SIG'), call('b', 'g')] },
      { role: 'tool', tool_call_id: 'a', content: '1' },
      { role: 'tool', tool_call_id: 'b', content: '2' },
    ]
    const parts = sent({ messages }, 'gemini-3-pro-preview').contents[1]?.parts
    expect(parts).toMatchObject([{ thoughtSignature: 'SIG' }, {}])
    expect(parts?.[1]).not.toHaveProperty('thoughtSignature')
  })

  test.each([
    ['gemini-3-flash-preview', 'skip_thought_signature_validator'],
    ['gemini-flash-latest', 'skip_thought_signature_validator'],
    ['gemini-2.5-pro', undefined],
  ])(
    '%s: marks the first call of another model’s step with the bypass signature: %s',
    (model, signature) => {
      const messages: ChatRequest['messages'] = [
        { role: 'user', content: 'Go' },
        {
          role: 'assistant',
          content: 'I ask.',
          thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: 'foreign' }],
          tool_calls: [call('a', 'f'), call('b', 'g')],
        },
        { role: 'tool', tool_call_id: 'a', content: '1' },
        { role: 'tool', tool_call_id: 'b', content: '2' },
      ]
      const parts = sent({ messages }, model).contents[1]?.parts ?? []
      expect(JSON.stringify(parts)).not.toContain('foreign')
      expect(parts[1]).toEqual({
        functionCall: { id: 'a', name: 'f', args: {} },
        ...(signature === undefined ? {} : { thoughtSignature: signature }),
      })
      expect(parts[2]).not.toHaveProperty('thoughtSignature')
    },
  )

  test('returns a text’s signature with the text', () => {
    const { contents } = sent({
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: 'Hello',
          reasoning_content: 'A greeting.',
          thinking_blocks: [
            { type: 'thought', signature: 'S1' },
            { type: 'thought', signature: 'S2' },
          ],
        },
        { role: 'user', content: 'Again' },
      ],
    })
    expect(contents[1]?.parts).toEqual([
      { text: '', thoughtSignature: 'S1' },
      { text: 'Hello', thoughtSignature: 'S2' },
    ])
  })
})

describe('media', () => {
  const content = (part: object) =>
    ({ messages: [{ role: 'user', content: [part] }] }) as Partial<ChatRequest>
  const png = 'iVBORw0KGgoAAAANSUhEUg=='

  test.each<[string, object, unknown]>([
    [
      'a data URL',
      { type: 'image_url', image_url: { url: `data:image/webp;base64,AAAA` } },
      { inlineData: { mimeType: 'image/webp', data: 'AAAA' } },
    ],
    [
      'bare base64, known by its first bytes',
      { type: 'image_url', image_url: { url: png } },
      { inlineData: { mimeType: 'image/png', data: png } },
    ],
    [
      'a file in Cloud Storage',
      { type: 'image_url', image_url: { url: 'gs://b/cat.jpg' } },
      { fileData: { mimeType: 'image/jpeg', fileUri: 'gs://b/cat.jpg' } },
    ],
    [
      'a YouTube video',
      { type: 'video_url', video_url: { url: 'https://www.youtube.com/watch?v=x' } },
      { fileData: { fileUri: 'https://www.youtube.com/watch?v=x' } },
    ],
    [
      'sound',
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
      { inlineData: { mimeType: 'audio/mp3', data: 'AAAA' } },
    ],
    [
      'a file by its name',
      { type: 'file', file: { filename: 'a.csv', file_data: 'YSxi' } },
      { inlineData: { mimeType: 'text/csv', data: 'YSxi' } },
    ],
    [
      'a file of the Files API',
      { type: 'file', file: { file_id: 'files/abc' } },
      { fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc' } },
    ],
  ])('%s', (_name, part, expected) => {
    expect(chat.media?.(ask(content(part)))).toEqual([])
    expect(sent(content(part)).contents[0]?.parts).toEqual([expected])
  })

  test('fetches other URLs first and uses the type received', () => {
    const url = 'https://example.com/cat.jpg'
    const fields = content({ type: 'image_url', image_url: { url } })
    expect(chat.media?.(ask(fields))).toEqual([
      { url, param: 'messages[0].content[0].image_url.url' },
    ])
    const bytes = Buffer.from(png, 'base64')
    const media = new Map([[url, { bytes, contentType: 'image/jpeg' }]])
    expect(sent(fields, 'gemini-2.5-flash', { media }).contents[0]?.parts).toEqual([
      { inlineData: { mimeType: 'image/png', data: png } },
    ])
  })

  test.each([
    [
      'no base64',
      { type: 'image_url', image_url: { url: 'not base64!' } },
      'messages[0].content[0].image_url.url',
    ],
    [
      'no known type',
      { type: 'file', file: { file_data: 'AAAA' } },
      'messages[0].content[0].file.file_data',
    ],
    [
      'a foreign file id',
      { type: 'file', file: { file_id: 'file-abc' } },
      'messages[0].content[0].file.file_id',
    ],
  ])('rejects %s', (_name, part, param) => {
    expect(refused(content(part))).toBe(param)
  })

  test('maps detail to a media resolution from Gemini 3 on', () => {
    const fields = content({ type: 'image_url', image_url: { url: png, detail: 'low' } })
    expect(sent(fields, 'gemini-3-pro').contents[0]?.parts).toMatchObject([
      { mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' } },
    ])
    expect(leftOut(fields)).toEqual(['messages[0].content[0].image_url.detail'])
  })
})
