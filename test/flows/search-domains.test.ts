// Domains that a web search keeps to or out of: in every client format, toward upstreams that have such lists and others.
import { expect, test } from 'vitest'
import { json } from '../support/fake-upstream.ts'
import { inFrontOf } from '../support/through.ts'

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

test.each(Object.entries(asking))('by %s they reach who has them', async (_, { path, body }) => {
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
})

test.each(Object.entries(asking))(
  'and by %s are refused by their own name where nobody has them',
  async (_, { path, body, param }) => {
    await using pair = await inFrontOf('gemini', (_, response) => json(response, {}))
    const refused = await pair.gateway.post(path, { model: pair.model, ...body })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain(param)
    expect(pair.upstream.seen).toHaveLength(0)
  },
)
