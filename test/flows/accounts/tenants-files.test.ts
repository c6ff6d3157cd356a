// Files, containers and cached contents that upstreams store in the gateway's account can be used only by the key that
// created them.
import { describe, expect, test } from 'vitest'
import { type FakeUpstream, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { owner, stranger, upstreamResponse, withTwoKeys } from '../../support/gateways/two-keys.ts'
import type { Routes } from '../../support/routes.ts'
import { type Started, start } from '../../support/start.ts'

const message = (further: object = {}) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'c',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
  ...further,
})
const generated = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
}

const answers: Readonly<Record<string, object>> = {
  anthropic: message(),
  google: generated,
  openai: chatReply('Hi'),
  'openai-responses': upstreamResponse('resp_1', 'Hi'),
}

const settings = (up: FakeUpstream, type: string, further: object = {}): Routes =>
  ({
    ...withTwoKeys({}),
    providers: { up: { type, baseUrl: up.url, key: 'k', ...further } },
  }) as Routes

const messages = (content: unknown, further: object = {}) => ({
  model: 'up/m',
  max_tokens: 16,
  messages: [{ role: 'user', content }],
  ...further,
})
const contents = (part: object, further: object = {}) => ({
  contents: [{ role: 'user', parts: [{ text: 'Look' }, part] }],
  ...further,
})
const asked = [{ type: 'text', text: 'Look' }]
const toMessages = '/v1/messages'
const toGemini = '/v1beta/models/up/m:generateContent'
const toChat = '/v1/chat/completions'
const filesUri = 'https://generativelanguage.googleapis.com/v1beta/files/abc'

const rows: readonly (readonly [string, string, string, object, string])[] = [
  ['a container', 'anthropic', toMessages, messages('Hi', { container: 'c_1' }), 'container'],
  [
    'a container’s object',
    'anthropic',
    toMessages,
    messages('Hi', { container: { id: 'c_1' } }),
    'container.id',
  ],
  [
    'a skill',
    'anthropic',
    toMessages,
    messages('Hi', {
      container: { skills: [{ type: 'custom', skill_id: 'skill_1', version: 'latest' }] },
    }),
    'container.skills[0].skill_id',
  ],
  [
    'a document',
    'anthropic',
    toMessages,
    messages([...asked, { type: 'document', source: { type: 'file', file_id: 'file_1' } }]),
    'messages[0].content[1].source.file_id',
  ],
  [
    'an upload to a container',
    'anthropic',
    toMessages,
    messages([{ type: 'container_upload', file_id: 'file_1' }]),
    'messages[0].content[0].file_id',
  ],
  [
    'a document in a token count',
    'anthropic',
    '/v1/messages/count_tokens',
    messages([{ type: 'document', source: { type: 'file', file_id: 'file_1' } }]),
    'messages[0].content[0].source.file_id',
  ],
  [
    'cached content',
    'google',
    toGemini,
    contents({ text: 'Hi' }, { cachedContent: 'cachedContents/1' }),
    'cachedContent',
  ],
  [
    'a file by URI',
    'google',
    toGemini,
    contents({ fileData: { mimeType: 'image/png', fileUri: filesUri } }),
    'contents[0].parts[1].fileData.fileUri',
  ],
  [
    'a file in Cloud Storage',
    'google',
    toGemini,
    contents({ fileData: { mimeType: 'image/png', fileUri: 'gs://bucket/a.png' } }),
    'contents[0].parts[1].fileData.fileUri',
  ],
  [
    'a file for another format',
    'google',
    toChat,
    messages([...asked, { type: 'image_url', image_url: { url: filesUri } }]),
    'contents[0].parts[1].fileData.fileUri',
  ],
  [
    'an OpenAI file',
    'openai',
    toChat,
    messages([...asked, { type: 'file', file: { file_id: 'file-1' } }]),
    'messages[0].content[1].file.file_id',
  ],
  [
    'an OpenAI file from a Responses request',
    'openai-responses',
    toChat,
    messages([...asked, { type: 'file', file: { file_id: 'file-1' } }]),
    'input[0].content[1].file_id',
  ],
]

describe('rejects references to stored files of unknown owner unless the provider shares ids:', () => {
  test.each(rows)('%s', async (_name, ...row) => {
    const [type, path, body, param] = row
    await using up = await fakeUpstream((_seen, response) => json(response, answers[type]))
    await using gateway = await start(settings(up, type))
    const refused = await gateway.post(path, body, owner)
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain(toMessages === path ? 'sharedIds' : param)
    expect(up.seen).toEqual([])
    await gateway.configure(settings(up, type, { sharedIds: 'allow' }))
    expect((await gateway.post(path, body, owner)).status).toBe(200)
    expect(up.seen).toHaveLength(1)
  })
})

test('rejects a reference to an S3 object', async () => {
  const converse = { output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } } }
  await using up = await fakeUpstream((_seen, response) => json(response, converse))
  const region = { region: 'eu-central-1' }
  await using gateway = await start(settings(up, 'bedrock', region))
  const picture = { type: 'image_url', image_url: { url: 's3://bucket/a.png' } }
  const bodies = [
    messages([...asked, picture]),
    messages([{ type: 'video_url', video_url: { url: 's3://bucket/a.mp4' } }]),
  ]
  for (const body of bodies) {
    const refused = await gateway.post(toChat, body, owner)
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('"messages"')
  }
  expect(up.seen).toEqual([])
  await gateway.configure(settings(up, 'bedrock', { ...region, sharedIds: 'allow' }))
  await gateway.post(toChat, bodies[0], owner)
  expect(up.seen[0]?.text).toContain('s3://bucket/a.png')
})

test.each([
  ['https://www.youtube.com/watch?v=1', 'video/mp4'],
  ['https://example.com/a.png', 'image/png'],
])('accepts a public URL: %s', async (fileUri, mimeType) => {
  await using up = await fakeUpstream((_seen, response) => json(response, generated))
  await using gateway = await start(settings(up, 'google'))
  const answer = await gateway.post(toGemini, contents({ fileData: { mimeType, fileUri } }), owner)
  expect(answer.status).toBe(200)
})

describe('files and containers in an answer belong to its key', () => {
  const made = {
    container: { id: 'container_1', expires_at: '2026-01-01T00:00:00Z' },
    content: [
      {
        type: 'bash_code_execution_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: {
          type: 'bash_code_execution_result',
          stdout: '',
          stderr: '',
          return_code: 0,
          content: [{ type: 'bash_code_execution_output', file_id: 'file_made' }],
        },
      },
      { type: 'text', text: 'Done' },
    ],
  }
  const event = (data: { readonly type: string; readonly [field: string]: unknown }) =>
    `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
  const events = [
    event({ type: 'message_start', message: message({ content: [], stop_reason: null }) }),
    ...made.content.flatMap((block, index) => [
      event({ type: 'content_block_start', index, content_block: block }),
      event({ type: 'content_block_stop', index }),
    ]),
    event({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null, container: made.container },
      usage: { output_tokens: 3 },
    }),
    event({ type: 'message_stop' }),
  ]

  const status = async (gateway: Started, body: object, key: typeof owner) => {
    const answer = await gateway.post(toMessages, body, key)
    await answer.text()
    return answer.status
  }

  test.each([false, true])('streamed: %s', async (stream) => {
    await using up = await fakeUpstream((_seen, response) =>
      stream ? sse(response, events) : json(response, message(made)),
    )
    const plain = settings(up, 'anthropic')
    await using gateway = await start(plain)
    expect(await status(gateway, messages('Hi', { stream }), owner)).toBe(200)
    const uses = [
      messages('Hi', { stream, container: 'container_1' }),
      messages([{ type: 'container_upload', file_id: 'file_made' }], { stream }),
    ]
    for (const body of uses) {
      expect(await status(gateway, body, stranger)).toBe(400)
      expect(await status(gateway, body, owner)).toBe(200)
    }
    await gateway.configure(settings(up, 'anthropic', { sharedIds: 'allow' }))
    for (const body of uses) expect(await status(gateway, body, stranger)).toBe(400)
  })
})
