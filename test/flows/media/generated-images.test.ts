// Images that a model generated, later in the conversation: the next model receives them, whichever format carried
// them.
import { expect, test } from 'vitest'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { type Started, start } from '../../support/start.ts'

type Fields = Readonly<Record<string, unknown>>

const data = 'iVBORw0KGgo='
const url = `data:image/png;base64,${data}`
const call = { id: 'call_1', type: 'function', function: { name: 'draw', arguments: '{}' } }

/** A model that draws when it is asked first, and else says what it was told. */
const painter = () =>
  fakeUpstream(({ path, body }, response) => {
    if (path.endsWith('/responses')) return json(response, {}, { status: 404 })
    const isFirst = (body['messages'] as object[]).length === 1
    const message = isFirst
      ? { content: 'Here.', images: [{ type: 'image_url', image_url: { url } }] }
      : { content: 'A cat.' }
    const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }
    return json(response, chatReply('', { choices: [choice] }))
  })

interface Face {
  readonly path: string
  readonly body: (turns: readonly unknown[]) => object
  readonly asks: (text: string) => unknown
  /** The answer as a client sends it back. */
  readonly turn: (answer: Fields) => readonly unknown[]
}

const user = (content: string) => ({ role: 'user', content })

const faces: Readonly<Record<string, Face>> = {
  chat: {
    path: '/v1/chat/completions',
    body: (messages) => ({ model: 'up/m', messages }),
    asks: user,
    turn: ({ choices }) => [(choices as readonly Fields[])[0]!['message']],
  },
  messages: {
    path: '/v1/messages',
    body: (messages) => ({ model: 'up/m', max_tokens: 99, messages }),
    asks: user,
    turn: ({ role, content }) => [{ role, content }],
  },
  responses: {
    path: '/v1/responses',
    body: (input) => ({ model: 'up/m', store: false, input }),
    asks: user,
    turn: ({ output }) => output as readonly unknown[],
  },
  generateContent: {
    path: '/v1beta/models/up%2Fm:generateContent',
    body: (contents) => ({ contents }),
    asks: (text) => ({ role: 'user', parts: [{ text }] }),
    turn: ({ candidates }) => [(candidates as readonly Fields[])[0]!['content']],
  },
}

async function answerTo(gateway: Started, { path, body }: Face, turns: readonly unknown[]) {
  const response = await gateway.post(path, body(turns))
  const answer = (await response.json()) as Fields
  expect([response.status, response.headers.get('x-sluice-dropped')]).toEqual([200, null])
  return answer
}

test.each(Object.entries(faces))(
  'sends a generated image to the next model when the history comes in %s',
  async (_name, face) => {
    await using upstream = await painter()
    await using gateway = await start({
      providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
    })
    const asked = [face.asks('Draw a cat')]
    const drawn = face.turn(await answerTo(gateway, face, asked))
    await answerTo(gateway, face, [...asked, ...drawn, face.asks('What is it?')])
    const messages = upstream.seen.at(-1)!.body['messages'] as readonly Fields[]
    expect(messages.slice(0, 2)).toMatchObject([user('Draw a cat'), { content: 'Here.' }])
    expect(messages.slice(2).flatMap(({ content }) => content)).toEqual([
      { type: 'image_url', image_url: { url } },
      expect.anything(),
    ])
  },
)

test('places an image generated beside a tool call behind the call’s result', async () => {
  const picture = { inlineData: { mimeType: 'image/png', data } }
  const functionCall = { id: 'call_1', name: 'draw', args: {} }
  const functionResponse = { id: 'call_1', name: 'draw', response: { output: 'ok' } }
  await using upstream = await painter()
  await using gateway = await start({
    providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
  })
  await answerTo(gateway, faces['generateContent']!, [
    { role: 'user', parts: [{ text: 'Draw a cat' }] },
    { role: 'model', parts: [picture, { functionCall }] },
    { role: 'user', parts: [{ functionResponse }] },
  ])
  expect(upstream.seen[0]!.body['messages']).toMatchObject([
    user('Draw a cat'),
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1' },
    { role: 'user', content: [{ type: 'image_url', image_url: { url } }] },
  ])
})

test('places images of a chat message behind tool results, and names the image in an error', async () => {
  await using upstream = await painter()
  await using gateway = await start({
    providers: { up: { type: 'anthropic', baseUrl: upstream.url, key: 'k' } },
  })
  const ask = (image: string) =>
    gateway.post('/v1/chat/completions', {
      model: 'up/m',
      messages: [
        user('Draw a cat'),
        {
          role: 'assistant',
          content: null,
          images: [{ type: 'image_url', image_url: { url: image } }],
          tool_calls: [call],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
        { role: 'assistant', content: '', images: [] },
        user('What is it?'),
      ],
    })
  await ask(url)
  const { messages } = upstream.seen.at(-1)!.body as { messages: readonly Fields[] }
  expect(messages[2]).toMatchObject({
    role: 'user',
    content: [
      { type: 'tool_result' },
      { type: 'image', source: { data } },
      { type: 'text', text: 'What is it?' },
    ],
  })
  const refused = await ask('data:image/bmp;base64,Qk0=')
  expect(await refused.json()).toMatchObject({
    error: { param: expect.stringMatching(/^messages\[1\]\.images\[0\]/) },
  })
})

test('sends OpenRouter its own images field unchanged', async () => {
  await using upstream = await painter()
  await using gateway = await start({
    providers: { openrouter: { baseUrl: upstream.url, key: 'k' } },
  })
  const images = [{ type: 'image_url', image_url: { url } }]
  const messages = [user('Draw'), { role: 'assistant', content: '', images }, user('What is it?')]
  await gateway.post('/v1/chat/completions', { model: 'openrouter/m', messages })
  expect(upstream.seen.at(-1)!.body['messages']).toEqual(messages)
})
