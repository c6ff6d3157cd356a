// The size of stored responses is limited, and so is what a continued conversation reads.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { type Started, start } from '../../support/start.ts'

let gateway: Started
let upstream: FakeUpstream
const reply = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'A dot' }] }, finishReason: 'STOP' }],
}
beforeAll(async () => {
  // One that has no memory of its own.
  upstream = await fakeUpstream((_seen, response) => json(response, reply))
  gateway = await start({
    providers: { upstream: { type: 'gemini', baseUrl: upstream.url, key: 'k', models: ['mine'] } },
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const text = (size: number) => 'a word '.repeat(size / 7)
const idOf = async (response: Response): Promise<string> => {
  expect(response.status).toBe(200)
  return ((await response.json()) as { id: string }).id
}

test('rejects storing a request of more than 16 MiB and suggests store: false', async () => {
  const input = text(17 * 1024 * 1024)
  const response = await gateway.post('/v1/responses', { model: 'upstream/mine', input })
  expect(response.status).toBe(413)
  expect(await response.json()).toMatchObject({
    error: { param: 'store', message: expect.stringContaining('store: false') },
  })
  const once = await gateway.post('/v1/responses', { model: 'upstream/mine', input, store: false })
  expect(once.status).toBe(200)
})

test.each([
  ['characters', () => text(12 * 1024 * 1024)],
  ['values', () => Array.from({ length: 2_500 }, () => ({ role: 'user', content: 'Hi' }))],
])('rejects continuing a conversation of too many %s', async (_name, inputOf) => {
  let previous_response_id: string | undefined
  for (let turns = 0; turns < 2; turns += 1) {
    const response = await gateway.post('/v1/responses', {
      model: 'upstream/mine',
      input: inputOf(),
      previous_response_id,
    })
    previous_response_id = await idOf(response)
  }
  const answers = []
  for (let turns = 0; turns < 8; turns += 1) {
    const response = await gateway.post('/v1/responses', {
      model: 'upstream/mine',
      input: inputOf(),
      previous_response_id,
    })
    if (response.status !== 200) {
      answers.push(await response.json())
      break
    }
    previous_response_id = await idOf(response)
  }
  expect(answers).toMatchObject([
    { error: { code: 'context_length_exceeded', param: 'previous_response_id' } },
  ])
})
