// Tags, by which a call is billed in addition to its key.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Started, start } from '../../support/start.ts'

let gateway: Started
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const body = { model: 'builtin-chat', messages: [{ role: 'user', content: 'Hello' }] }

function ask(tags: string): Promise<Response> {
  return gateway.post('/v1/chat/completions', body, { headers: { 'x-sluice-tags': tags } })
}

test.each([
  ['a tag that is too long', 'a'.repeat(65)],
  ['invalid characters', 'a,b c'],
  ['too many tags', Array.from({ length: 17 }, (_, n) => `t${n}`).join(',')],
])('rejects x-sluice-tags: %s', async (_name, tags) => {
  const response = await ask(tags)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    error: { type: 'invalid_request_error', param: 'x-sluice-tags' },
  })
})

test('accepts the maximum number of tags', async () => {
  const tags = Array.from({ length: 16 }, (_, n) => `${'a'.repeat(60)}${n}`).join(' , ')
  expect((await ask(tags)).status).toBe(200)
})
