import { expect, test } from 'vitest'
import { start } from '../support/start.ts'

const ids = async (variables: Record<string, string>, model: string) => {
  await using gateway = await start({}, { variables })
  const upstreams = [...gateway.gateway.routing().upstreams.keys()]
  const response = await gateway.post('/v1/chat/completions', {
    model,
    messages: [{ role: 'user', content: 'What is 6 times 7?' }],
  })
  return { upstreams, status: response.status, provider: response.headers.get('x-sluice-provider') }
}

test('without any key the well-known names are the built-in engine’s', async () => {
  expect(await ids({}, 'gpt-4o')).toEqual({ upstreams: [], status: 200, provider: 'builtin' })
})

test('a known provider whose key is in the environment is on, and the aliases are off', async () => {
  // Its address is never asked: a route with the provider's name needs no list of its models.
  const { upstreams } = await ids({ GROQ_API_KEY: 'gsk_x' }, 'builtin-chat')
  expect(upstreams).toEqual(['groq'])
})

test('a variable that other programs use too turns its provider on and leaves the aliases alone', async () => {
  expect(await ids({ GITHUB_TOKEN: 'ghp_x' }, 'gpt-4o')).toEqual({
    upstreams: ['github-models'],
    status: 200,
    provider: 'builtin',
  })
})

test('enabled: false keeps a provider off though its key is there', async () => {
  await using gateway = await start(
    { providers: { groq: { enabled: false } } },
    { variables: { GROQ_API_KEY: 'gsk_x' } },
  )
  expect([...gateway.gateway.routing().upstreams.keys()]).toEqual([])
})
