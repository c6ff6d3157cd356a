// What a key stores is limited by number and bytes, without an effect on other keys.
import { expect, test } from 'vitest'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { owner, stranger, videoTask, withTwoKeys } from '../../support/gateways/two-keys.ts'
import type { Routes } from '../../support/routes.ts'
import { type Started, start } from '../../support/start.ts'

const reply = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'A dot' }] }, finishReason: 'STOP' }],
}
const geminiAnd = (url: string, limits: NonNullable<Routes['limits']>): Routes => ({
  ...withTwoKeys({}),
  providers: { upstream: { type: 'gemini', baseUrl: url, key: 'k', models: ['mine'] } },
  limits,
})

async function respond(gateway: Started, by: typeof owner, input: string): Promise<string> {
  const response = await gateway.post('/v1/responses', { model: 'upstream/mine', input }, by)
  expect(response.status).toBe(200)
  return ((await response.json()) as { id: string }).id
}

const statusOf = async (gateway: Started, by: typeof owner, id: string) =>
  (await gateway.request(`/v1/responses/${id}`, by)).status

const statuses = (gateway: Started, by: typeof owner, ids: readonly string[]) =>
  Promise.all(ids.map((id) => statusOf(gateway, by, id)))

test.each([
  ['number', { count: 3 }, 'Hi'],
  ['bytes', { bytes: 3 * 21_500 }, 'word '.repeat(4_000)],
])('evicts a key’s oldest responses beyond the %s limit, and rejects none', async (...of) => {
  const [, keptResponses, input] = of
  await using upstream = await fakeUpstream((_seen, response) => json(response, reply))
  await using gateway = await start(geminiAnd(upstream.url, { keptResponses }))
  const other = await respond(gateway, stranger, input)
  const ids = []
  for (let made = 0; made < 5; made += 1) ids.push(await respond(gateway, owner, input))
  expect(await statuses(gateway, owner, ids)).toEqual([404, 404, 200, 200, 200])
  expect(await statusOf(gateway, stranger, other)).toBe(200)
  const [gone, , kept] = ids
  const goOn = (previous_response_id: string | undefined) =>
    gateway.post(
      '/v1/responses',
      { model: 'upstream/mine', input: 'And?', previous_response_id },
      owner,
    )
  expect((await goOn(kept)).status).toBe(200)
  const refused = await goOn(gone)
  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({ error: { param: 'previous_response_id' } })
})

test('rejects a request larger than the key’s whole quota before calling the upstream', async () => {
  await using upstream = await fakeUpstream((_seen, response) => json(response, reply))
  await using gateway = await start(geminiAnd(upstream.url, { keptResponses: { bytes: 1_000 } }))
  const body = { model: 'upstream/mine', input: 'word '.repeat(400) }
  const refused = await gateway.post('/v1/responses', body, owner)
  expect(refused.status).toBe(413)
  expect(await refused.json()).toMatchObject({
    error: { param: 'store', message: expect.stringContaining('1000 bytes') },
  })
  expect(upstream.seen).toHaveLength(0)
})

test('evicts ended upstream videos, then answers 429 until one is deleted', async () => {
  let made = 0
  await using upstream = await fakeUpstream(({ method, path }, response) => {
    if (method === 'POST') return json(response, videoTask(`up_${(made += 1)}`))
    const id = path.split('/').at(-1) ?? ''
    json(
      response,
      videoTask(id, id === 'up_1' ? { status: 'failed', error: { code: 'x', message: 'y' } } : {}),
    )
  })
  const settings = withTwoKeys({ upstream })
  await using gateway = await start({ ...settings, limits: { keptVideos: { count: 2 } } })
  const create = (by: typeof owner) =>
    gateway.post('/v1/videos', { model: 'upstream/sora', prompt: 'A cat' }, by)
  const idOf = async (response: Response) => ((await response.json()) as { id: string }).id
  const first = await idOf(await create(owner))
  const second = await idOf(await create(owner))
  const refused = await create(owner)
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({
    error: {
      type: 'insufficient_quota',
      code: 'kept_videos_exceeded',
      message: expect.stringContaining('limits.keptVideos.count'),
    },
  })
  expect(made).toBe(2)
  expect((await create(stranger)).status).toBe(200)
  expect(await (await gateway.request(`/v1/videos/${first}`, owner)).json()).toMatchObject({
    status: 'failed',
  })
  expect((await create(owner)).status).toBe(200)
  expect((await gateway.request(`/v1/videos/${first}`, owner)).status).toBe(404)
  await gateway.request(`/v1/videos/${second}`, { ...owner, method: 'DELETE' })
  expect((await create(owner)).status).toBe(200)
})

test('concurrent video requests do not exceed the quota', async () => {
  let made = 0
  await using upstream = await fakeUpstream((_seen, response) => {
    made += 1
    json(response, made === 1 ? { error: { message: 'no' } } : videoTask(`up_${made}`), {
      status: made === 1 ? 400 : 200,
    })
  })
  const settings = withTwoKeys({ upstream })
  await using gateway = await start({ ...settings, limits: { keptVideos: { count: 3 } } })
  const create = async (model: string) => {
    const body = { model, prompt: 'A red circle', seconds: '1', size: '128x72' }
    return (await gateway.post('/v1/videos', body, owner)).status
  }
  // One that the upstream refuses gives its place back.
  expect(await create('upstream/sora')).toBe(400)
  const models = ['upstream/sora', 'builtin-video', 'upstream/sora', 'builtin-video']
  const statuses = await Promise.all([...models, ...models, ...models].map(create))
  expect(statuses.filter((status) => status === 200)).toHaveLength(3)
  expect(statuses.filter((status) => status === 429)).toHaveLength(9)
  expect(await create('upstream/sora')).toBe(429)
})

test('counts the files of built-in videos against the quota', async () => {
  await using gateway = await start({
    ...withTwoKeys({}),
    limits: { keptVideos: { bytes: 1_000 } },
  })
  const create = async (by: typeof owner) => {
    const body = { model: 'builtin-video', prompt: 'A red circle', seconds: '1', size: '128x72' }
    return gateway.post('/v1/videos', body, by)
  }
  const { id } = (await (await create(owner)).json()) as { id: string }
  for (;;) {
    const video = await (await gateway.request(`/v1/videos/${id}`, owner)).json()
    const { status } = video as { status: string }
    if (status === 'completed') break
    expect(status).not.toBe('failed')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const refused = await create(owner)
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({
    error: { message: expect.stringContaining('limits.keptVideos.bytes') },
  })
  expect((await create(stranger)).status).toBe(200)
  await gateway.request(`/v1/videos/${id}`, { ...owner, method: 'DELETE' })
  expect((await create(owner)).status).toBe(200)
})
