// OpenAI's newest models take tools together with an effort only at /v1/responses.
import { describe, expect, test } from 'vitest'
import {
  type Answering,
  type FakeUpstream,
  fakeUpstream,
  json,
} from '../../support/fakes/fake-upstream.ts'
import { responsesModel } from '../../support/fakes/further-models.ts'
import { answerCompletion } from '../../support/fakes/openai-wire.ts'
import { type Started, start } from '../../support/start.ts'

const responding = responsesModel((rounds) =>
  rounds === 0
    ? { thinking: 'Look it up.', calls: [['look', '{"what":"x"}']] }
    : { text: 'It is x.' },
)

/** OpenAI: chat completions refuse function tools unless the effort is none. */
const openAi: Answering = (seen, response, request) => {
  if (seen.path.endsWith('/responses')) return responding(seen, response, request)
  const { tools, reasoning_effort: effort, model } = seen.body
  const reasons =
    model !== 'gpt-5.2' && (effort === undefined ? model === 'gpt-5.6' : effort !== 'none')
  if (tools !== undefined && reasons)
    return json(
      response,
      {
        error: {
          message: `Function tools with reasoning_effort are not supported for ${String(model)} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
          type: 'invalid_request_error',
          param: 'reasoning_effort',
          code: null,
        },
      },
      { status: 400 },
    )
  return answerCompletion(seen, response, { text: 'Chatted.' })
}

/** The same without Responses. */
const chatAlone: Answering = (seen, response, request) =>
  seen.path.endsWith('/responses')
    ? json(response, { detail: 'Not Found' }, { status: 404 })
    : openAi(seen, response, request)

const schema = { type: 'object', properties: { what: { type: 'string' } } }

interface Client {
  readonly path: (model: string, stream: boolean) => string
  readonly body: (model: string, effort: string | undefined, stream: boolean) => object
}

const clients: Readonly<Record<string, Client>> = {
  chat: {
    path: () => '/v1/chat/completions',
    body: (model, effort, stream) => ({
      model,
      stream,
      messages: [{ role: 'user', content: 'What is it?' }],
      tools: [{ type: 'function', function: { name: 'look', parameters: schema } }],
      ...(effort !== undefined && { reasoning_effort: effort }),
    }),
  },
  messages: {
    path: () => '/v1/messages',
    body: (model, effort, stream) => ({
      model,
      stream,
      max_tokens: 4000,
      messages: [{ role: 'user', content: 'What is it?' }],
      tools: [{ name: 'look', input_schema: schema }],
      ...(effort !== undefined && {
        thinking: { type: 'enabled', budget_tokens: 2000 },
      }),
    }),
  },
  gemini: {
    path: (model, stream) =>
      `/v1beta/models/${encodeURIComponent(model)}:${stream ? 'streamGenerateContent' : 'generateContent'}`,
    body: (_model, effort) => ({
      contents: [{ role: 'user', parts: [{ text: 'What is it?' }] }],
      tools: [{ functionDeclarations: [{ name: 'look', parameters: schema }] }],
      ...(effort !== undefined && {
        generationConfig: { thinkingConfig: { thinkingLevel: effort } },
      }),
    }),
  },
}

async function inFront(type: string, answering: Answering) {
  const upstream = await fakeUpstream(answering)
  const provider = type === 'openai as another' ? { type: 'openai' } : { kind: type }
  const gateway = await start({
    providers: { up: { ...provider, baseUrl: `${upstream.url}/v1`, key: 'k' } },
    defaults: { retries: { attempts: 1 } },
  } as Parameters<typeof start>[0])
  return {
    upstream,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

const paths = ({ seen }: FakeUpstream) => seen.map(({ path }) => path)

function ask(
  gateway: Started,
  client: Client,
  [model, effort, stream]: [string, string | undefined, boolean],
) {
  return gateway.post(
    client.path(`up/${model}`, stream),
    client.body(`up/${model}`, effort, stream),
  )
}

describe.each(['openai', 'openai as another', 'azure-openai-v1'])('at %s', (type) => {
  test.each(Object.entries(clients))(
    'a turn with tools and an effort goes to Responses, from %s',
    async (_, client) => {
      await using stage = await inFront(type, openAi)
      for (const [model, effort] of [
        ['gpt-5.4', 'high'],
        ['gpt-5.6', 'high'],
        ['gpt-5.6', undefined],
      ] as const)
        for (const stream of [false, true]) {
          const answer = await ask(stage.gateway, client, [model, effort, stream])
          expect([answer.status, await answer.text()]).toEqual([
            200,
            expect.stringContaining('look'),
          ])
          expect(answer.headers.get('x-sluice-dropped')).toBeNull()
          const sent = stage.upstream.seen.at(-1)!
          expect(sent.path).toBe('/v1/responses')
          if (effort !== undefined)
            expect(sent.body['reasoning']).toMatchObject({
              effort: expect.stringMatching(/low|medium|high/),
            })
        }
      expect(paths(stage.upstream).filter((path) => path.endsWith('/chat/completions'))).toEqual([])
    },
  )

  test.each([
    ['gpt-5.4', undefined, 'no effort is asked for'],
    ['gpt-5.6', 'none', 'the effort is none'],
    ['gpt-5.2', 'high', 'the model takes both'],
  ])(
    'a turn of %s with tools and the effort %s stays a chat, because %s',
    async (model, effort, _why) => {
      await using stage = await inFront(type, openAi)
      const answer = await ask(stage.gateway, clients['chat']!, [model, effort, false])
      expect(answer.status).toBe(200)
      expect(paths(stage.upstream)).toEqual(['/v1/chat/completions'])
    },
  )
})

test('an effort without tools stays a chat', async () => {
  await using stage = await inFront('openai', openAi)
  const messages = [{ role: 'user', content: 'Hi' }]
  const asked = { model: 'up/gpt-5.6', messages, reasoning_effort: 'high' }
  expect((await stage.gateway.post('/v1/chat/completions', asked)).status).toBe(200)
  expect(paths(stage.upstream)).toEqual(['/v1/chat/completions'])
})

test('a whole loop of a chat client keeps the effort', async () => {
  await using stage = await inFront('openai', openAi)
  const first = clients['chat']!.body('up/gpt-5.4', 'medium', false) as { messages: object[] }
  const answer = (await (await stage.gateway.post('/v1/chat/completions', first)).json()) as {
    choices: readonly [{ message: { tool_calls: readonly [{ id: string }] } }]
  }
  const { message } = answer.choices[0]
  const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'x' }
  const next = { ...first, messages: [...first.messages, message, result] }
  const last = await stage.gateway.post('/v1/chat/completions', next)
  expect(await last.text()).toContain('It is x.')
  expect(stage.upstream.seen.map(({ body }) => body['reasoning'])).toEqual([
    { effort: 'medium' },
    { effort: 'medium' },
  ])
})

test.each(Object.entries(clients))(
  'a server without Responses gets a chat without the effort, from %s',
  async (_, client) => {
    await using stage = await inFront('openai as another', chatAlone)
    for (const time of [1, 2]) {
      const answer = await ask(stage.gateway, client, ['gpt-5.4', 'high', false])
      expect([time, answer.status]).toEqual([time, 200])
      expect(answer.headers.get('x-sluice-dropped')).toMatch(/effort|thinking/i)
    }
    expect(paths(stage.upstream)).toEqual([
      '/v1/responses',
      '/v1/chat/completions',
      '/v1/chat/completions',
    ])
  },
)
