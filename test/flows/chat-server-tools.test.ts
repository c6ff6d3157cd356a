// Chat callers write tools of a provider's own among theirs, as gateways have taught them.
import { expect, test } from 'vitest'
import { json } from '../support/fake-upstream.ts'
import { inFrontOf } from '../support/through.ts'

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
  'a search of any provider’s is a search at %s',
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

test('what of the search a target lacks is said by its place in the request', async () => {
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

test('any other tool is refused by its type, or named where the caller wants that', async () => {
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

test('and passes to an upstream that speaks chat, which may have it', async () => {
  await using pair = await inFrontOf('openai', (_, response) => json(response, {}))
  const tools = [{ type: 'openrouter:datetime' }, own]
  await pair.gateway.post('/v1/chat/completions', { model: pair.model, messages, tools })
  expect(pair.upstream.seen.at(-1)?.body).toMatchObject({ tools })
})
