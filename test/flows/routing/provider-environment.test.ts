import { expect, test } from 'vitest'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { start } from '../../support/start.ts'

const ids = async (variables: Record<string, string>, model: string) => {
  await using gateway = await start({}, { variables })
  const upstreams = [...gateway.gateway.current.routing.upstreams.keys()]
  const response = await gateway.post('/v1/chat/completions', {
    model,
    messages: [{ role: 'user', content: 'What is 6 times 7?' }],
  })
  return { upstreams, status: response.status, provider: response.headers.get('x-sluice-provider') }
}

test('without any provider key, well-known model names are the built-in engine’s', async () => {
  expect(await ids({}, 'gpt-4o')).toEqual({ upstreams: [], status: 200, provider: 'builtin' })
})

test('a provider whose key is in the environment is enabled, and the aliases are off', async () => {
  // Its address is never asked: a route with the provider's name needs no list of its models.
  const { upstreams } = await ids({ GROQ_API_KEY: 'gsk_x' }, 'builtin-chat')
  expect(upstreams).toEqual(['groq'])
})

test('a variable shared with other programs enables its provider and keeps the aliases', async () => {
  expect(await ids({ GITHUB_TOKEN: 'ghp_x' }, 'gpt-4o')).toEqual({
    upstreams: ['github-models'],
    status: 200,
    provider: 'builtin',
  })
})

test('reads a provider’s usual variable for its base URL', async () => {
  await using upstream = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
  const variables = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: `${upstream.url}/v1` }
  expect(await ids(variables, 'openai/gpt-4o')).toMatchObject({ status: 200, provider: 'openai' })
  expect(upstream.seen[0]?.path).toBe('/v1/chat/completions')
  expect(upstream.seen[0]?.headers['authorization']).toBe('Bearer sk-x')
})

test('disables a provider whose base URL points back to this gateway, and logs it', async () => {
  const variables = {
    SLUICE_PORT: '48080',
    OPENAI_API_KEY: 'sk-x',
    OPENAI_BASE_URL: 'http://localhost:48080/v1',
  }
  await using gateway = await start({}, { variables })
  expect(gateway.gateway.current.routing.upstreams.size).toBe(0)
  expect(gateway.logged.map(({ message }) => message).join()).toContain('OPENAI_BASE_URL leads to')
})

test('enabled: false keeps a provider off although its key is set', async () => {
  await using gateway = await start(
    { providers: { groq: { enabled: false } } },
    { variables: { GROQ_API_KEY: 'gsk_x' } },
  )
  expect([...gateway.gateway.current.routing.upstreams.keys()]).toEqual([])
})
