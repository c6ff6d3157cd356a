import { describe, expect, test } from 'vitest'
import { codecContext } from '../../../test/support/codec-context.ts'
import { encodedChat, userMessage } from '../../../test/support/formats/encoded-chat.ts'
import type { ChatRequest } from '../../contract/src/operations/chat-request.ts'
import { bedrock } from '../src/bedrock/index.ts'

const codec = bedrock.codecs.chat!
const claude = 'anthropic.claude-sonnet-4-5-20250929-v1:0'
const user = userMessage
const { sent, refusal } = encodedChat(codec, claude)

test('percent-encodes the model in the path', () => {
  const arn = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc'
  const { path } = codec.encode({ model: 'm', messages: [user] }, codecContext({ model: arn }))
  expect(path).toBe(`/model/${encodeURIComponent(arn)}/converse`)
  expect(path).not.toContain('profile/')
})

describe('messages', () => {
  test('merges neighbors of one role, drops blank texts and puts results before text', () => {
    const call = (id: string) => ({
      id,
      type: 'function' as const,
      function: { name: 'f', arguments: '' },
    })
    const body = sent({
      messages: [
        { role: 'system', content: 'Be brief.' },
        user,
        {
          role: 'user',
          content: [
            { type: 'text', text: '  ' },
            { type: 'text', text: 'there' },
          ],
        },
        { role: 'assistant', content: '', tool_calls: [call('a'), call('b')] },
        { role: 'tool', tool_call_id: 'a', content: 'one' },
        { role: 'tool', tool_call_id: 'b', content: '' },
        { role: 'developer', content: 'Be polite.' },
        { role: 'user', content: 'go on', name: 'Ada' },
      ],
      tools: [{ type: 'function', function: { name: 'f' } }],
    })
    expect(body['system']).toEqual([{ text: 'Be brief.' }])
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ text: 'hi' }, { text: 'there' }] },
      {
        role: 'assistant',
        content: [
          { toolUse: { toolUseId: 'a', name: 'f', input: {} } },
          { toolUse: { toolUseId: 'b', name: 'f', input: {} } },
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'a', content: [{ text: 'one' }] } },
          { toolResult: { toolUseId: 'b', content: [] } },
          { text: '<system>\nBe polite.\n</system>' },
          { text: 'Ada: go on' },
        ],
      },
    ])
  })

  test('adds a user message before a leading assistant message', () => {
    expect(sent({ messages: [{ role: 'assistant', content: 'Hi.' }, user] })['messages']).toEqual([
      { role: 'user', content: [{ text: '.' }] },
      { role: 'assistant', content: [{ text: 'Hi.' }] },
      { role: 'user', content: [{ text: 'hi' }] },
    ])
  })

  test.each([
    ['anthropic.claude-opus-4-8-v1:0', true],
    ['mistral.mistral-large-2402-v1:0', true],
    ['amazon.nova-pro-v1:0', false],
    [claude, false],
  ])('a final assistant message at %s gets a user message: %s', (model, isAnswered) => {
    const messages: ChatRequest['messages'] = [user, { role: 'assistant', content: 'It is' }]
    const turns = sent({ messages }, { model })['messages'] as { role: string }[]
    expect(turns.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      ...(isAnswered ? ['user'] : []),
    ])
  })

  test('trims trailing white space of a prefill', () => {
    const body = sent({ messages: [user, { role: 'assistant', content: 'Well, \n' }] })
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ text: 'hi' }] },
      { role: 'assistant', content: [{ text: 'Well,' }] },
    ])
  })

  test('returns signed thinking to Claude only', () => {
    const messages: ChatRequest['messages'] = [
      user,
      {
        role: 'assistant',
        content: 'Done.',
        thinking_blocks: [
          { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
          { type: 'redacted_thinking', data: 'xyz' },
          { type: 'reasoning', id: 'rs_1', encrypted_content: 'foreign' },
        ],
      },
      user,
    ]
    const content = (model: string) =>
      (sent({ messages }, { model })['messages'] as { content: unknown[] }[])[1]!.content
    expect(content(claude)).toEqual([
      { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'sig' } } },
      { reasoningContent: { redactedContent: 'xyz' } },
      { text: 'Done.' },
    ])
    expect(content('amazon.nova-pro-v1:0')).toEqual([{ text: 'Done.' }])
  })

  test('keeps large integers in arguments, and wraps non-objects', () => {
    const messages = (text: string): ChatRequest['messages'] => [
      user,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', function: { name: 'f', arguments: text } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
    ]
    expect(JSON.stringify(sent({ messages: messages('{"id":12345678901234567890}') }))).toContain(
      '{"id":12345678901234567890}',
    )
    for (const text of ['{"a":', '[1]', '"x"'])
      expect(JSON.stringify(sent({ messages: messages(text) }))).toContain(
        `"input":${JSON.stringify({ raw_arguments: text })}`,
      )
  })

  test('keeps call ids up to 64 characters and shortens longer ones uniquely', () => {
    const ids = [64, 65, 66].map((length) => 'a'.repeat(length))
    const body = sent({
      messages: [
        user,
        {
          role: 'assistant',
          content: null,
          tool_calls: ids.map((id) => ({ id, function: { name: 'f', arguments: '{}' } })),
        },
        ...ids.map((id) => ({ role: 'tool' as const, tool_call_id: id, content: 'x' })),
      ],
    })
    const [, assistant, results] = body['messages'] as {
      content: Record<string, { toolUseId: string }>[]
    }[]
    const used = assistant!.content.map(({ toolUse }) => toolUse!.toolUseId)
    expect(used[0]).toBe(ids[0])
    expect(used.map((id) => id.length)).toEqual([64, 64, 64])
    expect(new Set(used).size).toBe(3)
    expect(results!.content.map(({ toolResult }) => toolResult!.toolUseId)).toEqual(used)
  })

  test.each([
    [claude, 'functions.f:0', /^[a-zA-Z0-9_-]{1,64}$/],
    ['mistral.mistral-large-2407-v1:0', 'call_abcdefghijkl', /^[a-zA-Z0-9]{9}$/],
  ])('%s: replaces an invalid call id in call and result', (model, id, form) => {
    const body = sent(
      {
        messages: [
          user,
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id, function: { name: 'f', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: id, content: 'x' },
        ],
      },
      { model },
    )
    const [, assistant, result] = body['messages'] as {
      content: Record<string, { toolUseId: string }>[]
    }[]
    const used = assistant!.content[0]!['toolUse']!.toolUseId
    expect(used).toMatch(form)
    expect(result!.content[0]!['toolResult']!.toolUseId).toBe(used)
  })
})

describe('media', () => {
  const pixel = 'iVBORw0KGgo='
  test('sends data URLs as bytes, fetches http URLs first and passes s3 URLs', () => {
    const url = 'https://example.com/cat'
    const messages: ChatRequest['messages'] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
          { type: 'image_url', image_url: { url } },
          { type: 'image_url', image_url: { url: 's3://bucket/a.jpg' } },
          {
            type: 'file',
            file: { filename: 'My  paper_1.pdf', file_data: 'data:application/pdf;base64,AAAA' },
          },
          {
            type: 'file',
            file: { filename: 'My paper_1.pdf', file_data: 'data:application/pdf;base64,BBBB' },
          },
          { type: 'file', file: { filename: 'bare.pdf', file_data: 'JVBERi0xLjQK' } },
          { type: 'input_audio', input_audio: { data: 'CCCC', format: 'wav' } },
          { type: 'video_url', video_url: { url: 'data:video/mp4;base64,DDDD' } },
        ],
      },
    ]
    expect(codec.media!({ model: 'm', messages })).toEqual([
      { url, param: 'messages[0].content[2].image_url.url' },
    ])
    const media = new Map([
      [url, { bytes: new Uint8Array([1, 2]), contentType: 'image/jpeg; q=1' }],
    ])
    const [{ content }] = sent({ messages }, { media })['messages'] as [{ content: unknown[] }]
    expect(content.slice(1)).toEqual([
      { image: { format: 'png', source: { bytes: pixel } } },
      { image: { format: 'jpeg', source: { bytes: 'AQI=' } } },
      { image: { format: 'jpeg', source: { s3Location: { uri: 's3://bucket/a.jpg' } } } },
      { document: { format: 'pdf', name: 'My paper-1', source: { bytes: 'AAAA' } } },
      { document: { format: 'pdf', name: 'My paper-1-2', source: { bytes: 'BBBB' } } },
      { document: { format: 'pdf', name: 'bare', source: { bytes: 'JVBERi0xLjQK' } } },
      { audio: { format: 'wav', source: { bytes: 'CCCC' } } },
      { video: { format: 'mp4', source: { bytes: 'DDDD' } } },
    ])
  })

  test('rejects unsupported media by their path', () => {
    const one = (part: NonNullable<Exclude<ChatRequest['messages'][0]['content'], string>>[0]) =>
      refusal({ messages: [{ role: 'user', content: [part] }] })
    expect(one({ type: 'image_url', image_url: { url: 'data:image/bmp;base64,AAAA' } })).toBe(
      'messages[0].content[0].image_url.url',
    )
    expect(one({ type: 'file', file: { file_id: 'file-1' } })).toBe(
      'messages[0].content[0].file.file_id',
    )
    expect(one({ type: 'file', file: { file_data: 'data:font/woff;base64,AAAA' } })).toBe(
      'messages[0].content[0].file.file_data',
    )
  })
})
