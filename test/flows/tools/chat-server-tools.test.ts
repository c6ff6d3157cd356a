// Chat requests with a provider's own tools among the caller's, as other gateways accept them.
import { expect, test } from 'vitest'
import { json } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

const claude = {
  type: 'message',
  content: [{ type: 'text', text: 'Bern.' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
}
const messages = [{ role: 'user', content: 'Who won?' }]
const own = { type: 'function', function: { name: 'now', parameters: {} } }
const searches = [
  { type: 'web_search_20250305', name: 'web_search' },
  { google_search: {} },
  { type: 'web_search' },
  { type: 'web_search_preview' },
]

const asked = {
  anthropic: '"type":"web_search_20250305"',
  gemini: '"googleSearch":{}',
  openai: '"web_search_options":{}',
} as const

test.each(Object.keys(asked) as (keyof typeof asked)[])(
  'translates every provider’s web search tool in a chat request for %s',
  async (type) => {
    await using pair = await inFrontOf(type, (_, response) => json(response, {}))
    for (const tool of searches) {
      await pair.gateway.post('/v1/chat/completions', {
        model: pair.model,
        messages,
        tools: [tool, own],
      })
      const { text } = pair.upstream.seen.at(-1)!
      expect(text).toContain(asked[type])
      expect(text).toContain('"now"')
    }
    expect(pair.upstream.seen).toHaveLength(searches.length)
  },
)

test('names the web search field that the target lacks by its path', async () => {
  await using pair = await inFrontOf('gemini', (_, response) => json(response, {}))
  const tools = [
    own,
    { type: 'web_search_20250305', name: 'web_search', allowed_domains: ['a.com'] },
  ]
  const refused = await pair.gateway.post('/v1/chat/completions', {
    model: pair.model,
    messages,
    tools,
  })
  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({ error: { param: 'tools[1].allowed_domains' } })
})

test('rejects other server tools by their type, or drops and reports them if the caller asks for that', async () => {
  await using pair = await inFrontOf('anthropic', (_, response) => json(response, claude))
  const body = { model: pair.model, messages, tools: [{ type: 'local_shell' }, own] }
  const refused = await pair.gateway.post('/v1/chat/completions', body)
  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({
    error: { code: 'unsupported_parameter', param: 'tools[0].type' },
  })
  const headers = { 'x-sluice-unsupported': 'report' }
  const named = await pair.gateway.post('/v1/chat/completions', body, { headers })
  expect(named.status).toBe(200)
  expect(named.headers.get('x-sluice-dropped')).toBe('tools[0].type')
  expect(pair.upstream.seen.at(-1)?.text).not.toContain('local_shell')
})

test.each(['shell', 'local_shell', 'apply_patch', 'computer', 'openrouter:datetime'])(
  'says of the type %s that chat does not define it, and where it may be',
  async (type) => {
    await using pair = await inFrontOf('gemini', (_, response) => json(response, {}))
    for (const model of [pair.model, 'builtin-chat']) {
      const tools = [own, { type }]
      const refused = await pair.gateway.post('/v1/chat/completions', { model, messages, tools })
      expect(refused.status).toBe(400)
      expect(await refused.json()).toMatchObject({
        error: {
          param: 'tools[1].type',
          message: expect.stringMatching(
            /Chat completions define no tools of this type .*responses/,
          ),
        },
      })
    }
    expect(pair.upstream.seen).toEqual([])
  },
)

test('passes unknown tools to an upstream that speaks chat', async () => {
  await using pair = await inFrontOf('openai', (_, response) => json(response, {}))
  const tools = [{ type: 'openrouter:datetime' }, own]
  await pair.gateway.post('/v1/chat/completions', { model: pair.model, messages, tools })
  expect(pair.upstream.seen.at(-1)?.body).toMatchObject({ tools })
})
