// Allowed and blocked domains of a web search, in every client format, at upstreams with and without such lists.
import { expect, test } from 'vitest'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'
import { start } from '../../support/start.ts'

const messages = [{ role: 'user', content: 'Who won?' }]
const claudeSearch = { type: 'web_search_20250305', name: 'web_search' }

/** A search that keeps out of a domain, as each client format asks for one, and what it calls the list. */
const asking = {
  chat: {
    path: '/v1/chat/completions',
    body: { messages, web_search_options: { filters: { blocked_domains: ['b.com'] } } },
    param: 'web_search_options.filters.blocked_domains',
  },
  'a tool in chat': {
    path: '/v1/chat/completions',
    body: { messages, tools: [{ ...claudeSearch, blocked_domains: ['b.com'] }] },
    param: 'tools[0].blocked_domains',
  },
  'Google’s tool in chat': {
    path: '/v1/chat/completions',
    body: { messages, tools: [{ google_search: { exclude_domains: ['b.com'] } }] },
    param: 'tools[0].google_search.excludeDomains',
  },
  messages: {
    path: '/v1/messages',
    body: { max_tokens: 64, messages, tools: [{ ...claudeSearch, blocked_domains: ['b.com'] }] },
    param: 'tools[0].blocked_domains',
  },
  responses: {
    path: '/v1/responses',
    body: {
      input: 'Who won?',
      tools: [{ type: 'web_search', filters: { blocked_domains: ['b.com'] } }],
    },
    param: 'tools[0].filters.blocked_domains',
  },
} as const

test.each(Object.entries(asking))(
  'translates web search domains of %s to upstreams that have them',
  async (_, { path, body }) => {
    await using claude = await inFrontOf('anthropic', (_, response) => json(response, {}))
    await claude.gateway.post(path, { model: claude.model, ...body })
    expect(claude.upstream.seen.at(-1)?.body).toMatchObject({
      tools: [{ type: 'web_search_20250305', blocked_domains: ['b.com'] }],
    })
    await using openai = await inFrontOf('openai-responses', (_, response) => json(response, {}))
    await openai.gateway.post(path, { model: openai.model, ...body })
    expect(openai.upstream.seen.at(-1)?.body).toMatchObject({
      tools: [{ type: 'web_search', filters: { blocked_domains: ['b.com'] } }],
    })
  },
)

test.each(Object.entries(asking))(
  'rejects web search domains of %s by their path where the upstream lacks them',
  async (_, { path, body, param }) => {
    await using pair = await inFrontOf('gemini', (_, response) => json(response, {}))
    const refused = await pair.gateway.post(path, { model: pair.model, ...body })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain(param)
    expect(pair.upstream.seen).toHaveLength(0)
  },
)

/** What a provider that resembles OpenAI is sent, or what its caller is told. */
async function sentTo(provider: string, path: string, body: object) {
  await using upstream = await fakeUpstream((_, response) => json(response, {}))
  await using gateway = await start({
    providers: { [provider]: { baseUrl: upstream.url, key: 'sk-of-the-upstream' } },
    defaults: { retries: { attempts: 1 } },
  })
  const answer = await gateway.post(path, { model: `${provider}/groq/compound`, ...body })
  return upstream.seen[0]?.body ?? (await answer.text())
}

const lists = { allowed_domains: ['a.com'], blocked_domains: ['b.com'] }
const asked = { messages, web_search_options: { filters: lists } }
const claudeAsked = { messages, max_tokens: 64, tools: [{ ...claudeSearch, ...lists }] }

test('sends web search domains to Groq as search_settings', async () => {
  const settings = { include_domains: ['a.com'], exclude_domains: ['b.com'] }
  const sent = await sentTo('groq', '/v1/chat/completions', asked)
  expect(sent).toMatchObject({ search_settings: settings })
  expect(sent).not.toHaveProperty('web_search_options')
  const tools = [{ type: 'web_search', filters: lists }]
  expect(await sentTo('groq', '/v1/responses', { input: 'Who won?', tools })).toMatchObject({
    search_settings: settings,
  })
  expect(await sentTo('groq', '/v1/messages', claudeAsked)).toMatchObject({
    search_settings: settings,
  })
})

test('sends web search to Groq’s compound models with a country only', async () => {
  const groqAsked = async (options: object, further: object = {}) => {
    await using upstream = await fakeUpstream((_, response) =>
      json(response, { choices: [{ message: { content: 'x' }, finish_reason: 'stop' }] }),
    )
    await using gateway = await start({ providers: { groq: { baseUrl: upstream.url, key: 'k' } } })
    const body = { model: 'groq/groq/compound', messages, web_search_options: options, ...further }
    const answer = await gateway.post('/v1/chat/completions', body)
    const [seen] = upstream.seen
    expect(seen?.body).not.toHaveProperty('web_search_options')
    return [seen?.body['search_settings'], answer.headers.get('x-sluice-dropped')]
  }
  const at = (approximate: object) => ({ user_location: { type: 'approximate', approximate } })
  expect(await groqAsked({})).toEqual([undefined, null])
  expect(await groqAsked(at({ country: 'US' }))).toEqual([{ country: 'united states' }, null])
  expect(await groqAsked(at({ country: 'TR' }))).toEqual([{ country: 'turkey' }, null])
  expect(
    await groqAsked({ search_context_size: 'low', ...at({ city: 'Bern', country: 'CH' }) }),
  ).toEqual([
    { country: 'switzerland' },
    'web_search_options.search_context_size, web_search_options.user_location',
  ])
  expect(await groqAsked(at({ country: 'XX!' }))).toEqual([
    undefined,
    'web_search_options.user_location',
  ])
  const own = { search_settings: { country: 'france' } }
  expect(await groqAsked(at({ country: 'US' }), own)).toEqual([own.search_settings, null])
})

test('rejects web search for other Groq models', async () => {
  await using upstream = await fakeUpstream((_, response) => json(response, {}))
  await using gateway = await start({ providers: { groq: { baseUrl: upstream.url, key: 'k' } } })
  const body = { model: 'groq/llama-3.3', messages, web_search_options: {} }
  const refused = await gateway.post('/v1/chat/completions', body)
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { error: { param: 'web_search_options' } },
  ])
  expect(upstream.seen).toHaveLength(0)
})

test('sends web search domains to OpenRouter’s plugin beside the caller’s plugins', async () => {
  const plugins = [{ id: 'file-parser' }, { id: 'web', max_results: 3 }]
  const sent = await sentTo('openrouter', '/v1/chat/completions', { ...asked, plugins })
  expect(sent).toMatchObject({
    web_search_options: {},
    plugins: [
      { id: 'file-parser' },
      { id: 'web', include_domains: ['a.com'], exclude_domains: ['b.com'], max_results: 3 },
    ],
  })
  expect(JSON.stringify(sent)).not.toContain('filters')
})

test.each(['xai', 'openrouter'])(
  'renames blocked_domains to excluded_domains for %s',
  async (provider) => {
    const tools = [{ type: 'web_search', filters: lists }]
    expect(await sentTo(provider, '/v1/responses', { input: 'Who won?', tools })).toMatchObject({
      tools: [{ filters: { allowed_domains: ['a.com'], excluded_domains: ['b.com'] } }],
    })
  },
)

test.each(['xai', 'vllm'])('rejects web search domains in chat for %s', async (provider) => {
  const told = await sentTo(provider, '/v1/chat/completions', asked)
  expect(told).toContain('web_search_options.filters.allowed_domains')
})
