// Headers with ids of a caller's own account at OpenAI are not sent with the gateway's key, and are named.
import { expect, test } from 'vitest'
import { fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { ask, good } from '../../support/routes.ts'
import { start } from '../../support/start.ts'

const headers = { 'openai-organization': 'org-1', 'openai-project': 'proj_1', 'x-other': 'a' }
const named = 'openai-organization, openai-project'

test('where a request passes to OpenAI’s format', async () => {
  await using upstream = await fakeUpstream(good)
  const providers = { first: { type: 'openai', baseUrl: `${upstream.url}/v1`, key: 'k' } } as const
  await using gateway = await start({ providers })
  const body = { model: 'first/a', ...ask }
  const answer = await gateway.post('/v1/chat/completions', body, { headers })
  expect([answer.status, answer.headers.get('x-sluice-dropped')]).toEqual([200, named])
  expect(Object.keys(upstream.seen[0]?.headers ?? {}).join()).not.toContain('openai')
})

test.each([
  ['/v1/chat/completions', ask],
  ['/v1/responses', { input: 'Hi' }],
] as const)('where a request of %s is translated', async (path, body) => {
  await using gateway = await start()
  const asked = { model: 'builtin/builtin-chat', ...body }
  const given = { ...headers, 'openai-beta': 'responses=experimental' }
  const answer = await gateway.post(path, asked, { headers: given })
  expect([answer.status, answer.headers.get('x-sluice-dropped')]).toEqual([
    200,
    `${named}, openai-beta`,
  ])
  const without = await gateway.post(path, asked)
  expect(without.headers.get('x-sluice-dropped')).toBeNull()
})
