import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { asSource, blocksOf } from '../../../../test/support/contributing.ts'
import { fakeUpstream, json } from '../../../../test/support/fakes/fake-upstream.ts'
import { chatReply } from '../../../../test/support/fakes/openai-wire.ts'
import { start } from '../../../../test/support/start.ts'
import type { providers } from '../../../gateway/src/providers/index.ts'

vi.mock('../../../gateway/src/providers/index.ts', async (original) => {
  const { providers: known } = await original<{ providers: typeof providers }>()
  const { acme } = await import('./acme-provider.ts')
  const { acme: protocol } = await import('../../../protocols/test/readme/acme/index.ts')
  const translated = { ...acme, id: 'translated', environment: ['TRANSLATED_API_KEY'], protocol }
  return { providers: new Map([...known, ['acme', acme], ['translated', translated]]) }
})

const question = { role: 'user', content: 'What is 6 times 7?' }

test('the provider in CONTRIBUTING.md is the tested one', () => {
  const own = asSource(
    join(import.meta.dirname, 'acme-provider.ts'),
    '../../../gateway/src/providers/',
    './',
  )
  expect(blocksOf('Add a provider')).toEqual([own])
})

test('an added provider is enabled by its key in the environment and serves any model', async () => {
  await using upstream = await fakeUpstream((_seen, response) => json(response, chatReply('42')))
  const variables = { ACME_API_KEY: 'secret', ACME_BASE_URL: `${upstream.url}/v1` }
  await using gateway = await start({}, { variables })
  const request = { model: 'acme/any-model', messages: [question] }
  const answer = await gateway.post('/v1/chat/completions', request)
  expect(await answer.json()).toMatchObject({ choices: [{ message: { content: '42' } }] })
  expect(upstream.seen).toMatchObject([
    {
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer secret' },
      body: { model: 'any-model', messages: [question] },
    },
  ])
})

test('an added provider is disabled without its key', async () => {
  await using gateway = await start()
  expect([...gateway.gateway.current.routing.upstreams.keys()]).toEqual([])
})

test('a provider may use the protocol added in CONTRIBUTING.md', async () => {
  await using upstream = await fakeUpstream((_seen, response) =>
    json(response, { text: '42', tokens_in: 9, tokens_out: 1 }),
  )
  const variables = { TRANSLATED_API_KEY: 'secret', TRANSLATED_BASE_URL: upstream.url }
  await using gateway = await start({}, { variables })
  const request = { model: 'translated/m', max_tokens: 5, messages: [question] }
  const answer = await gateway.post('/v1/messages', request)
  expect(await answer.json()).toMatchObject({
    content: [{ type: 'text', text: '42' }],
    usage: { input_tokens: 9, output_tokens: 1 },
  })
  expect(upstream.seen).toMatchObject([
    { path: '/generate', body: { model: 'm', prompt: 'user: What is 6 times 7?', limit: 5 } },
  ])
})
