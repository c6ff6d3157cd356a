// Default parameters of a route, in every client format, passed on and translated.
import { describe, expect, test } from 'vitest'
import {
  answering,
  type ChatFace,
  chatFaces,
  postAs,
  type UpstreamType,
  upstreamTypes,
} from '../../support/clients/four-formats.ts'
import { type FakeUpstream, fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { atPath } from '../../support/formats/at-path.ts'
import type { Routes } from '../../support/routes.ts'
import { start } from '../../support/start.ts'

type Defaults = Readonly<Record<string, unknown>>

const withDefaults = (
  upstream: FakeUpstream,
  type: UpstreamType,
  defaults: Defaults,
  model = 'm',
): Routes => ({
  providers: { up: { type, baseUrl: upstream.url, key: 'k' } },
  models: { main: { targets: [`up/${model}`], defaults }, plain: `up/${model}` },
  defaults: { retries: { attempts: 1 } },
})

/** Where the formats of upstreams have the parameters. */
const places: Readonly<Record<UpstreamType, Readonly<Record<string, string>>>> = {
  openai: {
    temperature: 'temperature',
    top_p: 'top_p',
    max_tokens: 'max_completion_tokens',
    reasoning_effort: 'reasoning_effort',
    stop: 'stop',
  },
  'openai-responses': {
    temperature: 'temperature',
    top_p: 'top_p',
    max_tokens: 'max_output_tokens',
    reasoning_effort: 'reasoning.effort',
  },
  anthropic: {
    temperature: 'temperature',
    top_p: 'top_p',
    max_tokens: 'max_tokens',
    stop: 'stop_sequences',
  },
  gemini: {
    temperature: 'generationConfig.temperature',
    top_p: 'generationConfig.topP',
    max_tokens: 'generationConfig.maxOutputTokens',
    stop: 'generationConfig.stopSequences',
  },
}

const values: Defaults = {
  temperature: 0.25,
  top_p: 0.5,
  max_tokens: 500,
  reasoning_effort: 'low',
  stop: ['END'],
}

const crossings = upstreamTypes.flatMap((type) =>
  chatFaces.flatMap((face) => [false, true].map((stream) => [type, face, stream] as const)),
)

describe.each(crossings)(
  'an upstream of type %s, asked as %s, streamed: %s',
  (type, face, stream) => {
    const names = Object.keys(places[type]).filter(
      // Responses requests have no stop sequences, which their native upstreams therefore refuse.
      (name) => !(name === 'stop' && face === 'responses' && type === 'openai'),
    )

    test.each(names)('gets the default of %s', async (name) => {
      await using upstream = await fakeUpstream(answering[type])
      await using gateway = await start(withDefaults(upstream, type, { [name]: values[name] }))
      const response = await postAs(gateway, face, { model: 'main', stream })
      const text = await response.text()
      expect(response.status, text).toBe(200)
      expect(text).toContain('Hello')
      const { body, path } = upstream.seen.at(-1)!
      const place = places[path.endsWith('/responses') ? 'openai-responses' : type][name]!
      // Every Messages request has a limit of its own.
      const isGiven = face === 'messages' && name === 'max_tokens'
      expect(atPath(body, place)).toEqual(isGiven ? 2000 : values[name])
      const plain = await postAs(gateway, face, { model: 'plain', stream })
      await plain.text()
      const before = atPath(upstream.seen.at(-1)!.body, place)
      expect(before).not.toEqual(values[name])
    })
  },
)

/** Each way in which a caller gives a parameter, and what then reaches an upstream with chat completions. */
const own: readonly (readonly [ChatFace, Defaults, object, Defaults])[] = [
  [
    'chat',
    { max_tokens: 500 },
    { max_tokens: 9 },
    { max_tokens: 9, max_completion_tokens: undefined },
  ],
  [
    'chat',
    { max_completion_tokens: 500 },
    { max_completion_tokens: 9 },
    { max_completion_tokens: 9 },
  ],
  ['chat', { temperature: 0.25 }, { temperature: 0 }, { temperature: 0 }],
  ['chat', { temperature: 0.25 }, { temperature: null }, { temperature: 0.25 }],
  [
    'chat',
    { reasoning_effort: 'high' },
    { reasoning: { effort: 'low' } },
    { reasoning_effort: undefined },
  ],
  ['chat', { thinking_budget: 4000 }, { reasoning_effort: 'low' }, { thinking_budget: undefined }],
  ['responses', { max_tokens: 500 }, { max_output_tokens: 99 }, { max_completion_tokens: 99 }],
  [
    'responses',
    { reasoning_effort: 'high' },
    { reasoning: { effort: 'low' } },
    { reasoning_effort: 'low' },
  ],
  [
    'responses',
    { reasoning_effort: 'high' },
    { reasoning: { summary: 'auto' } },
    { reasoning_effort: 'high' },
  ],
  ['messages', { max_tokens: 500 }, {}, { max_completion_tokens: 2000 }],
  ['messages', { stop: ['END'] }, { stop_sequences: ['X'] }, { stop: ['X'] }],
  [
    'messages',
    { reasoning_effort: 'high' },
    { thinking: { type: 'disabled' } },
    { reasoning_effort: 'none' },
  ],
  [
    'gemini',
    { max_tokens: 500 },
    { generationConfig: { maxOutputTokens: 9 } },
    { max_completion_tokens: 9 },
  ],
  [
    'gemini',
    { max_tokens: 500, temperature: 0.25 },
    { generation_config: { max_output_tokens: 9 } },
    { max_completion_tokens: 9, temperature: 0.25 },
  ],
  [
    'gemini',
    { reasoning_effort: 'high' },
    { generationConfig: { thinkingConfig: { thinkingLevel: 'LOW' } } },
    { reasoning_effort: 'low' },
  ],
]

test.each(own)('what a %s caller gives wins over %o: %o', async (face, defaults, further, sent) => {
  await using upstream = await fakeUpstream(answering.openai)
  const model = 'reasoning_effort' in defaults && face !== 'chat' ? 'gpt-5.2' : 'm'
  const routes = withDefaults(upstream, 'openai', defaults, model)
  // Responses are translated where a server lacks their address.
  upstream.answer((seen, response) => {
    if (seen.path.endsWith('/chat/completions')) return answering.openai(seen, response)
    response.writeHead(404).end()
  })
  await using gateway = await start(routes)
  const response = await postAs(gateway, face, { model: 'main', further })
  expect(response.status, await response.text()).toBe(200)
  const { body } = upstream.seen.at(-1)!
  for (const [name, value] of Object.entries(sent)) expect(body[name], name).toEqual(value)
})

test('every other byte of a request that is passed on stays', async () => {
  await using upstream = await fakeUpstream(answering.anthropic)
  await using gateway = await start(
    withDefaults(upstream, 'anthropic', { temperature: 0.25, user: 'u-1' }),
  )
  const rest = `"max_tokens" :100,  "messages":[{"role":"user","content":"H\\u0069"}],"further":1.50,"big":12345678901234567890`
  const response = await gateway.request('/v1/messages', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"model":"main",${rest}}`,
  })
  expect(response.status, await response.text()).toBe(200)
  const { text, body } = upstream.seen.at(-1)!
  expect(text).toContain(rest)
  expect(body).toMatchObject({ model: 'm', temperature: 0.25, metadata: { user_id: 'u-1' } })
})

test('a large request gets them too, without its texts being parsed', async () => {
  await using upstream = await fakeUpstream(answering.openai)
  await using gateway = await start(withDefaults(upstream, 'openai', { temperature: 0.25 }))
  const text = 'word '.repeat(200_000)
  const response = await postAs(gateway, 'chat', { model: 'main', text })
  expect(response.status, await response.text()).toBe(200)
  const { body } = upstream.seen.at(-1)!
  expect(body['temperature']).toBe(0.25)
  expect(atPath(body, 'messages.0.content')).toBe(text)
})

describe('how much Claude thinks', () => {
  const sent = async (defaults: Defaults, model: string, further: object = {}) => {
    await using upstream = await fakeUpstream(answering.anthropic)
    await using gateway = await start(withDefaults(upstream, 'anthropic', defaults, model))
    const response = await postAs(gateway, 'messages', {
      model: 'main',
      further: { max_tokens: 20_000, ...further },
    })
    expect(response.status, await response.text()).toBe(200)
    const { thinking, output_config: config } = upstream.seen.at(-1)!.body
    return { thinking, config }
  }

  test.each([
    [{ reasoning_effort: 'low' }, 'claude-opus-4-7', { type: 'adaptive' }, { effort: 'low' }],
    [{ reasoning_effort: 'none' }, 'claude-opus-4-7', { type: 'disabled' }, undefined],
    [
      { thinking_budget: 2048 },
      'claude-haiku-4-5',
      { type: 'enabled', budget_tokens: 2048 },
      undefined,
    ],
  ])('%o at %s', async (defaults, model, thinking, config) => {
    const found = await sent(defaults, model)
    expect(found.thinking).toMatchObject(thinking)
    expect(found.config).toEqual(config)
  })

  test('a forced call does not think, nor does a loop that began without', async () => {
    const choice = {
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
      tool_choice: { type: 'any' },
    }
    expect(await sent({ reasoning_effort: 'low' }, 'claude-haiku-4-5', choice)).toEqual({
      thinking: undefined,
      config: undefined,
    })
    const loop = {
      tools: choice.tools,
      messages: [
        { role: 'user', content: 'Look' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'look', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'seen' }] },
      ],
    }
    expect((await sent({ reasoning_effort: 'low' }, 'claude-haiku-4-5', loop)).thinking).toBe(
      undefined,
    )
  })

  test('a budget that the caller’s limit leaves no room for is left out', async () => {
    const found = await sent({ thinking_budget: 4096 }, 'claude-haiku-4-5', { max_tokens: 1000 })
    expect(found.thinking).toBe(undefined)
  })
})

describe('a default that the target cannot take', () => {
  const answer = async (defaults: Defaults, face: ChatFace, header?: string) => {
    await using upstream = await fakeUpstream(answering.anthropic)
    await using gateway = await start(withDefaults(upstream, 'anthropic', defaults))
    const headers = header === undefined ? {} : { 'x-sluice-unsupported': header }
    const response = await postAs(gateway, face, { model: 'main', headers })
    return {
      status: response.status,
      dropped: response.headers.get('x-sluice-dropped'),
      text: await response.text(),
      seen: upstream.seen.length,
    }
  }

  test.each(['chat', 'messages'] as const)('is left out and named, asked as %s', async (face) => {
    expect(await answer({ seed: 7 }, face)).toMatchObject({ status: 200, dropped: 'seed' })
  })

  test.each(['chat', 'messages'] as const)(
    'is refused with `refuse`, asked as %s',
    async (face) => {
      const { status, text, seen } = await answer({ seed: 7 }, face, 'refuse')
      expect(status).toBe(400)
      expect(text).toContain("'seed'")
      expect(seen).toBe(0)
    },
  )

  test.each(['chat', 'messages'] as const)(
    'is refused if it changes the meaning, unless all is reported, asked as %s',
    async (face) => {
      const refused = await answer({ logprobs: true }, face)
      expect(refused).toMatchObject({ status: 400, seen: 0 })
      expect(refused.text).toContain("'logprobs'")
      expect(await answer({ logprobs: true }, face, 'report')).toMatchObject({
        status: 200,
        dropped: 'logprobs',
      })
    },
  )
})

test('a default without a field in the caller’s format reaches a target of another one', async () => {
  await using upstream = await fakeUpstream(answering.openai)
  await using gateway = await start(withDefaults(upstream, 'openai', { seed: 7 }))
  const response = await postAs(gateway, 'messages', { model: 'main' })
  expect(response.status, await response.text()).toBe(200)
  expect(upstream.seen.at(-1)?.body['seed']).toBe(7)
})

test('text completions get those that they have', async () => {
  await using upstream = await fakeUpstream((_seen, response) => {
    const reply = {
      id: 'c',
      object: 'text_completion',
      created: 1,
      model: 'm',
      choices: [{ text: 'Hello', index: 0, logprobs: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  })
  await using gateway = await start(
    withDefaults(upstream, 'openai', { max_tokens: 7, temperature: 0.25, reasoning_effort: 'low' }),
  )
  const response = await gateway.post('/v1/completions', { model: 'main', prompt: 'Hi' })
  expect(response.status, await response.text()).toBe(200)
  expect(upstream.seen.at(-1)?.body).toMatchObject({ max_tokens: 7, temperature: 0.25 })
  expect(response.headers.get('x-sluice-dropped')).toBe('reasoning_effort')
})
