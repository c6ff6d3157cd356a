// Tools that a provider runs itself, requested in every format and sent to every upstream that has them.
import { describe, expect, test } from 'vitest'
import { json } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

const user = { role: 'user', content: 'What is the 90th prime?' }
const contents = [{ role: 'user', parts: [{ text: 'What is the 90th prime?' }] }]

type Upstream = 'anthropic' | 'gemini' | 'openai-responses'
type Kind = 'code' | 'fetch'

/** How each format's callers ask for a tool, and where they are told that it cannot be had. */
const callers = {
  chat: {
    path: () => '/v1/chat/completions',
    body: (model: string, tools: unknown[]) => ({ model, messages: [user], tools }),
    tools: {
      code: [{ type: 'code_execution_20250825', name: 'code_execution' }],
      fetch: [{ type: 'web_fetch_20250910', name: 'web_fetch' }],
    },
    param: 'tools[0].type',
  },
  'chat in Google’s words': {
    path: () => '/v1/chat/completions',
    body: (model: string, tools: unknown[]) => ({ model, messages: [user], tools }),
    tools: { code: [{ code_execution: {} }], fetch: [{ url_context: {} }] },
    param: /^tools\[0\]\.(code_execution|url_context)$/,
  },
  messages: {
    path: () => '/v1/messages',
    body: (model: string, tools: unknown[]) => ({
      model,
      max_tokens: 2048,
      messages: [user],
      tools,
    }),
    tools: {
      code: [{ type: 'code_execution_20250825', name: 'code_execution' }],
      fetch: [{ type: 'web_fetch_20250910', name: 'web_fetch' }],
    },
    param: undefined,
  },
  responses: {
    path: () => '/v1/responses',
    body: (model: string, tools: unknown[]) => ({ model, input: user.content, tools }),
    tools: { code: [{ type: 'code_interpreter', container: { type: 'auto' } }], fetch: [] },
    param: 'tools[0].type',
  },
  generateContent: {
    path: (model: string) => `/v1beta/models/${model}:generateContent`,
    body: (_: string, tools: unknown[]) => ({ contents, tools }),
    tools: { code: [{ codeExecution: {} }], fetch: [{ urlContext: {} }] },
    param: undefined,
  },
} as const

/** What each upstream is sent; absent where it has no such tool. */
const sent: Readonly<Record<Upstream, Partial<Record<Kind, string>>>> = {
  anthropic: { code: '"type":"code_execution_20250825"', fetch: '"type":"web_fetch_20250910"' },
  gemini: { code: '"codeExecution":{}', fetch: '"urlContext":{}' },
  'openai-responses': { code: '"type":"code_interpreter"' },
}

describe.each(Object.keys(sent) as Upstream[])('server tools at %s', (type) => {
  test.each(Object.entries(callers))('are translated from %s', async (_, caller) => {
    await using pair = await inFrontOf(type, (__, response) => json(response, {}))
    for (const kind of ['code', 'fetch'] as const) {
      const tools = caller.tools[kind]
      if (tools.length === 0) continue
      const before = pair.upstream.seen.length
      const body = caller.body(pair.model, [...tools])
      const answer = await pair.gateway.post(caller.path(pair.model), body)
      const expected = sent[type][kind]
      if (expected === undefined) {
        expect(answer.status).toBe(400)
        expect(pair.upstream.seen).toHaveLength(before)
        const { error } = (await answer.json()) as { error: { param?: string; message: string } }
        if (typeof caller.param === 'string') expect(error.param).toBe(caller.param)
        else if (caller.param !== undefined) expect(error.param).toMatch(caller.param)
        else expect(error.message).toMatch(/tools\[0\]\.(type|urlContext)/)
      } else {
        expect(pair.upstream.seen.at(-1)?.text).toContain(expected)
        expect(answer.headers.get('x-sluice-dropped') ?? '').not.toMatch(/codeExecution|urlContext/)
      }
    }
  })
})

test('Anthropic’s tools set their beta headers and pass unchanged', async () => {
  await using pair = await inFrontOf('anthropic', (_, response) => json(response, {}))
  const tools = [
    { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 3, allowed_domains: ['a.com'] },
    { type: 'code_execution_20250825', name: 'code_execution' },
    { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
  ]
  await pair.gateway.post('/v1/chat/completions', { model: pair.model, messages: [user], tools })
  const { body, headers } = pair.upstream.seen.at(-1)!
  expect(body).toMatchObject({ tools })
  expect(headers['anthropic-beta']).toBe('code-execution-2025-08-25,web-fetch-2025-09-10')
})

test('rejects tool restrictions that the target lacks, and reports dropped hints', async () => {
  await using pair = await inFrontOf('gemini', (_, response) => json(response, {}))
  const ask = (wishes: object) =>
    pair.gateway.post('/v1/chat/completions', {
      model: pair.model,
      messages: [user],
      tools: [{ type: 'web_fetch_20250910', name: 'web_fetch', ...wishes }],
    })
  const narrowed = await ask({ allowed_domains: ['a.com'] })
  expect(narrowed.status).toBe(400)
  expect(await narrowed.json()).toMatchObject({ error: { param: 'tools[0].allowed_domains' } })
  expect((await ask({ allowed_domains: [] })).status).not.toBe(400)
  await ask({ max_uses: 2 })
  expect(pair.upstream.seen.at(-1)?.body).toMatchObject({ tools: [{ urlContext: {} }] })
})

const own = { type: 'function', function: { name: 'now', parameters: {} } }

test.each([
  ['gemini-3-flash', true],
  ['gemini-2.5-flash', false],
])('mixes functions with Google’s tools only at models that allow it: %s', async (model, mixes) => {
  await using pair = await inFrontOf('gemini', (_, response) => json(response, {}), model)
  const ask = (tools: unknown[]) =>
    pair.gateway.post('/v1/chat/completions', { model: pair.model, messages: [user], tools })
  const beside = await ask([own, { code_execution: {} }])
  await ask([own, { google_search: {} }])
  const { body, text } = pair.upstream.seen.at(-1)!
  if (mixes) {
    expect(body).toMatchObject({ toolConfig: { includeServerSideToolInvocations: true } })
    expect(text).toContain('googleSearch')
    return
  }
  expect(beside.status).toBe(400)
  expect(await beside.json()).toMatchObject({ error: { param: 'tools[1].code_execution' } })
  expect(text).not.toContain('googleSearch')
  expect(text).not.toContain('toolConfig')
})

test('rejects containers, vector stores and approvals of a Responses request before the upstream', async () => {
  await using pair = await inFrontOf('openai-responses', (_, response) => json(response, {}))
  const refusals = [
    [{ type: 'code_interpreter', container: 'cntr_another' }, 'tools[0].container'],
    [{ type: 'file_search', vector_store_ids: ['vs_1'] }, 'tools[0].vector_store_ids[0]'],
    [
      { type: 'mcp', server_label: 'a', server_url: 'https://a.example' },
      'tools[0].require_approval',
    ],
  ] as const
  for (const [tool, param] of refusals) {
    const body = { model: pair.model, messages: [user], tools: [tool] }
    const answer = await pair.gateway.post('/v1/chat/completions', body)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { param } })
  }
  expect(pair.upstream.seen).toEqual([])
})

test('rejects a Gemini file search store that the provider does not share', async () => {
  await using pair = await inFrontOf('gemini', (_, response) => json(response, {}))
  const fileSearch = { fileSearchStoreNames: ['fileSearchStores/another'] }
  const answer = await pair.gateway.post(`/v1beta/models/${pair.model}:generateContent`, {
    contents,
    tools: [{ fileSearch }],
  })
  expect(answer.status).toBe(400)
  expect(pair.upstream.seen).toEqual([])
})

test('the built-in engine rejects server tools', async () => {
  await using pair = await inFrontOf('openai', (_, response) => json(response, {}))
  const tools = [{ type: 'code_interpreter' }]
  const body = { model: 'builtin-chat', messages: [user], tools }
  const answer = await pair.gateway.post('/v1/chat/completions', body)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ error: { param: 'tools[0].type' } })
})
