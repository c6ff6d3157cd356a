// Conversations stored by Anthropic (beta message-threads-2026-08-12): its SDK's tool runner with threads sends only
// new messages, and relies on the server for the others.
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { describe, expect, test } from 'vitest'
import {
  answerMessage,
  anthropicMessage,
  textBlock,
  toolUse,
} from '../../support/fakes/anthropic-wire.ts'
import { type Answering, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import type { Maker } from '../../support/fakes/scripted-models.ts'
import { inFrontOf, through } from '../../support/gateways/scripted-gateway.ts'
import { owner, stranger, withTwoKeys } from '../../support/gateways/two-keys.ts'
import { smallWeather } from '../../support/generated/weather.ts'
import type { Routes } from '../../support/routes.ts'
import { type Started, start, testKey } from '../../support/start.ts'

interface Thread {
  readonly type: string
  readonly previous_message_id?: string
}

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
  readonly thread?: Thread
}

const beta = 'message-threads-2026-08-12'
const hello = [{ role: 'user', content: 'Hello' }]
const create: Thread = { type: 'create' }

/** The Messages API with threads. It calls the tool until there is a result, then says how many messages it has. */
function threading(): Answering {
  const kept = new Map<string, Body['messages']>()
  let count = 0
  return (seen, response) => {
    const { messages: own, thread } = seen.body as unknown as Body
    const before = kept.get(thread?.previous_message_id ?? '')
    if (thread?.type === 'continue' && before === undefined)
      return json(
        response,
        {
          type: 'error',
          error: {
            type: 'not_found_error',
            message: 'No usable Thread state was found',
            details: { error_code: 'thread_not_found' },
          },
          request_id: 'req_1',
        },
        { status: 404 },
      )
    count += 1
    const messages = [...(before ?? []), ...own]
    const isAnswered = JSON.stringify(messages).includes('tool_result')
    const content = isAnswered
      ? [textBlock(`${messages.length} messages`)]
      : [toolUse(`toolu_0${count}`, 'get_weather', { place: 'Oslo' })]
    const id = `msg_of_thread_${count}`
    kept.set(id, [...messages, { role: 'assistant', content }])
    return answerMessage(seen, response, anthropicMessage(content, { id }))
  }
}

function sdk(gateway: Started, apiKey = testKey): Anthropic {
  return new Anthropic({ apiKey, baseURL: gateway.url, maxRetries: 0 })
}

function runner(client: Anthropic, model: string, stream: boolean) {
  const places: string[] = []
  const weather = betaTool({
    name: 'get_weather',
    description: 'Weather of a place.',
    inputSchema: {
      type: 'object',
      properties: { place: { type: 'string' } },
      required: ['place'],
      additionalProperties: false,
    },
    run({ place }) {
      places.push(place)
      return 'sunny'
    },
  })
  const now = betaTool({
    name: 'now',
    description: 'The time.',
    inputSchema: { type: 'object' },
    run: () => 'noon',
  })
  const content = 'What is the weather in Zürich? Use the tool.'
  const params = { model, max_tokens: 256, messages: [{ role: 'user' as const, content }] }
  return {
    running: client.beta.messages.toolRunner({ ...params, tools: [weather, now], stream }),
    places,
  }
}

/** The text of the last message. */
async function lastOf(running: AsyncIterable<unknown>): Promise<string> {
  let last: unknown
  for await (const message of running)
    last =
      'finalMessage' in (message as object)
        ? await (message as { finalMessage(): Promise<unknown> }).finalMessage()
        : message
  const { content } = last as Anthropic.Beta.BetaMessage
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

describe.each([false, true])('the SDK’s tool runner with threads, streamed: %s', (stream) => {
  test('finishes its loop with the built-in engine', async () => {
    await using gateway = await start()
    const { running, places } = runner(sdk(gateway), 'builtin-chat', stream)
    expect(await lastOf(running)).not.toBe('')
    expect(places).toHaveLength(1)
  })

  test.each(['openai', 'gemini'] as const)(
    'finishes its loop in front of %s',
    async (maker: Maker) => {
      await using stage = await through(maker, smallWeather)
      const { running, places } = runner(sdk(stage.gateway), stage.model, stream)
      expect(await lastOf(running)).toBe('Zürich has 7°, and it is noon 🕛.')
      expect(places).toHaveLength(1)
      expect(stage.upstream.seen).toHaveLength(2)
    },
  )

  test('sends only new messages to Anthropic', async () => {
    await using stage = await inFrontOf('anthropic', threading())
    const { running, places } = runner(sdk(stage.gateway), stage.model, stream)
    expect(await lastOf(running)).toBe('3 messages')
    expect(places).toEqual(['Oslo'])
    expect(stage.upstream.seen.map(({ body }) => body['thread'])).toEqual([
      create,
      { type: 'continue', previous_message_id: 'msg_of_thread_1' },
    ])
    expect(
      stage.upstream.seen.map(({ body }) => (body as unknown as Body).messages.length),
    ).toEqual([1, 1])
    for (const { headers } of stage.upstream.seen) expect(headers['anthropic-beta']).toContain(beta)
  })

  test('sends the whole conversation when another target answers', async () => {
    await using native = await fakeUpstream(threading())
    await using stage = await through('openai', smallWeather)
    await stage.gateway.configure({
      providers: {
        up: { type: 'openai', baseUrl: stage.upstream.url, key: 'k' },
        claude: { type: 'anthropic', baseUrl: native.url, key: 'k' },
      },
      models: { both: { targets: [{ target: 'claude/m' }, { target: stage.model }] } },
      defaults: { retries: { attempts: 1 } },
    })
    const { running } = runner(sdk(stage.gateway), 'both', stream)
    const seen: unknown[] = []
    let last = ''
    for await (const message of running) {
      const whole = 'finalMessage' in message ? await message.finalMessage() : message
      seen.push(whole)
      last = whole.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
      native.answer((_seen, response) =>
        json(
          response,
          { type: 'error', error: { type: 'overloaded_error', message: 'Busy' } },
          { status: 529 },
        ),
      )
    }
    expect(last).toBe('Zürich has 7°, and it is noon 🕛.')
    expect(JSON.stringify(stage.upstream.seen.at(-1)?.body)).toContain('Use the tool.')
  })
})

test('a thread with continue_unthreaded continues without the server’s thread', async () => {
  await using stage = await through('openai', smallWeather)
  const thread = sdk(stage.gateway).beta.messages.thread({
    model: stage.model,
    max_tokens: 256,
    unsupportedRequestBehavior: 'continue_unthreaded',
  })
  await thread.send({ role: 'user', content: 'First' })
  await thread.send({ role: 'user', content: 'Second' })
  expect(stage.upstream.seen.at(-1)?.text).toContain('First')
})

test('a required thread fails with the SDK’s own error', async () => {
  await using gateway = await start()
  const thread = sdk(gateway).beta.messages.thread({ model: 'builtin-chat', max_tokens: 256 })
  const sending = thread.send({ role: 'user', content: 'First' })
  await expect(sending).rejects.toBeInstanceOf(Anthropic.ThreadUnsupportedRequestError)
  await expect(sending).rejects.toMatchObject({ status: 400, details: { unsupported: ['thread'] } })
})

const forms: readonly unknown[] = [
  create,
  { type: 'continue', previous_message_id: 'msg_1' },
  {},
  { type: 'later' },
  'msg_1',
  ['msg_1'],
  true,
]

describe.each(['builtin-chat', 'openai', 'gemini', 'openai-responses'] as const)(
  'a thread is rejected with its error code: %s',
  (target) => {
    test.each(['refuse', 'hints', 'report'])('unsupported: %s', async (mode) => {
      await using upstream = await fakeUpstream((_seen, response) => json(response, {}))
      const type = target === 'builtin-chat' ? 'openai' : target
      await using gateway = await start({
        providers: { up: { type, baseUrl: upstream.url, key: 'k' } },
      })
      const model = target === 'builtin-chat' ? target : 'up/m'
      for (const thread of forms)
        for (const path of ['/v1/messages?beta=true', '/v1/messages', '/v1/messages/count_tokens'])
          for (const stream of [false, true])
            for (const messages of [hello, []]) {
              const body = { model, max_tokens: 9, messages, thread, stream }
              const headers = {
                'x-sluice-unsupported': mode,
                ...(path.endsWith('true') ? { 'anthropic-beta': beta } : {}),
              }
              const response = await gateway.post(path, body, { headers })
              expect(await response.json()).toMatchObject({
                type: 'error',
                error: {
                  type: 'invalid_request_error',
                  message: expect.stringContaining("'thread'"),
                  details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
                },
              })
              expect(response.status).toBe(400)
            }
      expect(upstream.seen).toEqual([])
    })
  },
)

test('thread: null is ignored, and messages remain required', async () => {
  await using gateway = await start()
  const asked = { model: 'builtin-chat', max_tokens: 9, thread: null }
  expect((await gateway.post('/v1/messages', { ...asked, messages: hello })).status).toBe(200)
  for (const path of ['/v1/messages', '/v1/messages/count_tokens']) {
    const response = await gateway.post(path, { ...asked, messages: [] })
    expect(response.status).toBe(400)
    expect(JSON.stringify(await response.json())).toContain("'messages'")
  }
})

describe('threads at Anthropic', () => {
  const asked = { model: 'native/m', max_tokens: 9, messages: hello }
  const anthropicAt = (url: string, further: object = {}): Routes => ({
    ...withTwoKeys({}),
    providers: { native: { type: 'anthropic', baseUrl: url, key: 'k', ...further } },
  })
  const idOf = async (gateway: Started, stream: boolean) => {
    const response = await gateway.post('/v1/messages', { ...asked, thread: create, stream }, owner)
    return /"id":"(msg_[^"]+)"/.exec(await response.text())?.[1] ?? ''
  }

  test.each([false, true])(
    'can be continued only by the key that created them, streamed: %s',
    async (stream) => {
      await using upstream = await fakeUpstream(threading())
      await using gateway = await start(anthropicAt(upstream.url))
      const id = await idOf(gateway, stream)
      const continued = { ...asked, thread: { type: 'continue', previous_message_id: id } }
      for (const settings of [
        anthropicAt(upstream.url),
        anthropicAt(upstream.url, { sharedIds: 'allow' }),
      ]) {
        await gateway.configure(settings)
        const sent = upstream.seen.length
        const refused = await gateway.post('/v1/messages', continued, stranger)
        expect(refused.status).toBe(404)
        expect(await refused.json()).toMatchObject({
          error: { type: 'not_found_error', details: { error_code: 'thread_not_found' } },
        })
        expect(upstream.seen.length).toBe(sent)
      }
      expect((await gateway.post('/v1/messages', continued, owner)).status).toBe(200)
      const resumed = { ...continued, messages: [] }
      expect((await gateway.post('/v1/messages', resumed, owner)).status).toBe(200)
      expect(upstream.seen.at(-1)?.body).toMatchObject({ messages: [], thread: continued.thread })
    },
  )

  test('with unknown ids are rejected, unless the provider shares ids', async () => {
    await using upstream = await fakeUpstream(threading())
    await using gateway = await start(anthropicAt(upstream.url))
    const unknown = { type: 'continue', previous_message_id: 'msg_of_nobody' }
    const refused = await gateway.post('/v1/messages', { ...asked, thread: unknown }, owner)
    expect(refused.status).toBe(404)
    expect(upstream.seen).toEqual([])
    await gateway.configure(anthropicAt(upstream.url, { sharedIds: 'allow' }))
    const response = await gateway.post('/v1/messages', { ...asked, thread: unknown }, owner)
    expect(upstream.seen).toHaveLength(1)
    // What Anthropic says itself, with what its SDKs read.
    expect(await response.json()).toMatchObject({
      error: { type: 'not_found_error', details: { error_code: 'thread_not_found' } },
    })
  })

  test('are replayed by the SDK when Anthropic no longer has them', async () => {
    await using upstream = await fakeUpstream(threading())
    await using gateway = await start(anthropicAt(upstream.url))
    const client = sdk(gateway, owner.key ?? '')
    const thread = client.beta.messages.thread({ model: 'native/m', max_tokens: 9 })
    await thread.send({ role: 'user', content: 'First' })
    upstream.answer(threading())
    await thread.send({ role: 'user', content: 'Second' })
    expect(upstream.seen.map(({ body }) => (body['thread'] as Thread).type)).toEqual([
      'create',
      'continue',
      'create',
    ])
    expect(upstream.seen.at(-1)?.text).toContain('First')
  })

  test('are rejected for Vertex AI', async () => {
    await using upstream = await fakeUpstream((_seen, response) => json(response, {}))
    await using gateway = await start({
      providers: {
        'google-vertex-anthropic': {
          key: 'token',
          project: 'p1',
          location: 'europe-west4',
          baseUrl: upstream.url,
        },
      },
    })
    const vertex = { ...asked, model: 'google-vertex-anthropic/m', thread: create }
    const response = await gateway.post('/v1/messages', vertex)
    expect(await response.json()).toMatchObject({
      error: { details: { error_code: 'thread_unsupported_request' } },
    })
    expect(upstream.seen).toEqual([])
  })
})

test.each(['anthropic-user-profile-id', 'anthropic-workspace-id'])(
  'drops %s, which names an account of the caller',
  async (name) => {
    await using stage = await inFrontOf('anthropic', (seen, response) =>
      answerMessage(seen, response, anthropicMessage([textBlock('Hello')])),
    )
    for (const model of [stage.model, 'builtin-chat']) {
      const body = { model, max_tokens: 9, messages: hello }
      const response = await stage.gateway.post('/v1/messages', body, {
        headers: { [name]: 'x_1' },
      })
      expect(response.status).toBe(200)
      expect(response.headers.get('x-sluice-dropped')).toBe(name)
    }
    expect(stage.upstream.seen[0]?.headers).not.toHaveProperty(name)
  },
)
