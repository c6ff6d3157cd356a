// Responses and conversations stored by one key do not exist for other keys.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import {
  noSuchAddress,
  owner,
  stranger,
  upstreamResponse,
  videoTask,
  withTwoKeys,
} from '../../support/gateways/two-keys.ts'
import type { Routes } from '../../support/routes.ts'
import { adminKey, type RequestOptions, type Started, start, testKey } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const secret = 'PINEAPPLE42'
const strangers: Readonly<Record<string, RequestOptions>> = {
  'another key': stranger,
  'a key of the environment': { key: testKey },
  'the administrator': { key: adminKey },
}

/** Answers 404 in the four-key form, and says nothing of what is stored. */
async function absent(response: Response): Promise<void> {
  const text = await response.text()
  expect(response.status, text).toBe(404)
  expect(text).not.toContain(secret)
  expect(JSON.parse(text)).toMatchObject({ error: { code: 'not_found' } })
}

describe('responses', () => {
  let chat: FakeUpstream
  let native: FakeUpstream
  let gateway: Started
  beforeAll(async () => {
    chat = await fakeUpstream((seen, response) =>
      seen.path.endsWith('/responses')
        ? noSuchAddress(response)
        : json(response, chatReply(`The word is ${secret}`)),
    )
    let count = 0
    native = await fakeUpstream((_seen, response) =>
      json(response, upstreamResponse(`resp_up${(count += 1)}`, `The word is ${secret}`)),
    )
    gateway = await start(withTwoKeys({ chat, native }))
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await chat[Symbol.asyncDispose]()
    await native[Symbol.asyncDispose]()
  })

  interface Made {
    readonly id: string
    readonly output: readonly { readonly id: string }[]
  }

  async function made(options: RequestOptions, model: string, further: object = {}): Promise<Made> {
    const body = { model, input: `Say ${secret}`, ...further }
    const response = await gateway.post('/v1/responses', body, options)
    const text = await response.text()
    expect(response.status, text).toBe(200)
    return JSON.parse(text)
  }

  const addresses: readonly (readonly [method: string, rest: string])[] = [
    ['GET', ''],
    ['GET', '/input_items'],
    ['POST', '/cancel'],
    ['DELETE', ''],
  ]

  describe.each(['builtin-chat', 'chat/m', 'native/m'])('made by %s', (model) => {
    describe.each(Object.entries(strangers))('to %s', (_name, options) => {
      test.each(addresses)(
        '%s /v1/responses/{id}%s answers 404 and changes nothing',
        async (method, rest) => {
          const { id } = await made(owner, model)
          await absent(await gateway.request(`/v1/responses/${id}${rest}`, { method, ...options }))
          const kept = await gateway.request(`/v1/responses/${id}`, owner)
          expect(await kept.json()).toMatchObject({ id })
        },
      )
    })

    test('can be read and deleted by their owner', async () => {
      const { id } = await made(owner, model)
      const items = await gateway.request(`/v1/responses/${id}/input_items`, owner)
      expect(await items.text()).toContain(secret)
      const removed = await gateway.request(`/v1/responses/${id}`, { method: 'DELETE', ...owner })
      expect(await removed.json()).toMatchObject({ id, deleted: true })
      await absent(await gateway.request(`/v1/responses/${id}`, owner))
    })

    test('can be continued by their owner only', async () => {
      const { id } = await made(owner, model)
      for (const next of ['builtin-chat', 'chat/m', 'native/m']) {
        const asked = { model: next, input: 'Go on', previous_response_id: id }
        const sent = chat.seen.length + native.seen.length
        const refused = await gateway.post('/v1/responses', asked, stranger)
        expect(refused.status).toBe(400)
        expect(await refused.json()).toMatchObject({
          error: { code: 'previous_response_not_found', param: 'previous_response_id' },
        })
        expect(chat.seen.length + native.seen.length).toBe(sent)
        expect((await gateway.post('/v1/responses', asked, owner)).status).toBe(200)
      }
    })
  })

  test('reject a conversation that contains another key’s response', async () => {
    native.answer((_seen, response) => json(response, upstreamResponse('resp_end', 'Yes')))
    // The gateway does not know this id yet, and the upstream has a memory of its own that it shares.
    await gateway.configure(sharing(native))
    const last = await made(stranger, 'native/m', { previous_response_id: 'resp_middle' })
    await gateway.configure(withTwoKeys({ chat, native }))
    native.answer((_seen, response) => json(response, upstreamResponse('resp_middle', secret)))
    await made(owner, 'native/m')
    const sent = chat.seen.length
    const asked = { model: 'chat/m', input: 'Go on', previous_response_id: last.id }
    const refused = await gateway.post('/v1/responses', asked, stranger)
    const text = await refused.text()
    expect(refused.status, text).toBe(400)
    expect(text).not.toContain(secret)
    expect(chat.seen.length).toBe(sent)
  })

  const referring = (model: string, id: string) => ({
    model,
    input: [
      { type: 'item_reference', id },
      { role: 'user', content: 'Repeat it' },
    ],
  })

  test('resolve an item reference for its owner only', async () => {
    const { id, output } = await made(owner, 'chat/m')
    const item = output[0]!.id
    const own = await gateway.post('/v1/responses', referring('chat/m', item), owner)
    expect(own.status).toBe(200)
    expect(chat.seen.at(-1)?.text).toContain(secret)
    const sent = chat.seen.length
    const theirs = await gateway.post('/v1/responses', referring('chat/m', item), stranger)
    const never = item.replace(id.slice('resp_'.length), 'f'.repeat(32))
    const unknown = await gateway.post('/v1/responses', referring('chat/m', never), stranger)
    expect(theirs.status).toBe(unknown.status)
    const said = await theirs.text()
    expect(said.replaceAll(item, never)).toBe(await unknown.text())
    for (const seen of chat.seen.slice(sent)) expect(seen.text).not.toContain(secret)
  })

  /** The same upstreams, of which the native one takes ids that are nobody's. */
  const sharing = (upstream: FakeUpstream): Routes => {
    const { providers, ...rest } = withTwoKeys({ chat, native })
    const shared = { type: 'openai' as const, baseUrl: upstream.url, key: 'key-of-native' }
    return { ...rest, providers: { ...providers, native: { ...shared, sharedIds: 'allow' } } }
  }

  // All keys share the gateway's account at the upstream, which would find the item.
  test('reject another key’s item reference that the upstream stores', async () => {
    native.answer((_seen, response) => json(response, upstreamResponse('resp_item', secret)))
    const { output } = await made(owner, 'native/m')
    const sent = native.seen.length
    const answer = await gateway.post(
      '/v1/responses',
      referring('native/m', output[0]!.id),
      stranger,
    )
    expect(answer.status).toBe(400)
    expect(native.seen.length).toBe(sent)
  })

  // Deleting forgets what it was, and not whose.
  test('cannot be continued by another key after their deletion', async () => {
    native.answer((_seen, response) => json(response, upstreamResponse('resp_gone', secret)))
    const { id } = await made(owner, 'native/m')
    await gateway.request(`/v1/responses/${id}`, { method: 'DELETE', ...owner })
    const asked = { model: 'native/m', input: 'Go on', previous_response_id: id }
    expect((await gateway.post('/v1/responses', asked, stranger)).status).toBe(400)
  })

  test('are deleted at the upstream that stores them', async () => {
    native.answer((_seen, response) => json(response, upstreamResponse('resp_there', secret)))
    const { id } = await made(owner, 'native/m')
    await gateway.request(`/v1/responses/${id}`, { method: 'DELETE', ...owner })
    const { method, path } = native.seen.at(-1)!
    expect([method, path]).toEqual(['DELETE', `/v1/responses/${id}`])
  })

  test('stay when the upstream fails to delete them, and a stranger deletes nothing', async () => {
    native.answer((_seen, response) => json(response, upstreamResponse('resp_stays', secret)))
    const { id } = await made(owner, 'native/m')
    const sent = native.seen.length
    await absent(await gateway.request(`/v1/responses/${id}`, { method: 'DELETE', ...stranger }))
    expect(native.seen.length).toBe(sent)
    native.answer((_seen, response) => json(response, {}, { status: 500 }))
    const failed = await gateway.request(`/v1/responses/${id}`, { method: 'DELETE', ...owner })
    expect(failed.status).toBe(503)
    expect((await gateway.request(`/v1/responses/${id}`, owner)).status).toBe(200)
    native.answer((_seen, response) => json(response, {}, { status: 404 }))
    const removed = await gateway.request(`/v1/responses/${id}`, { method: 'DELETE', ...owner })
    expect(await removed.json()).toMatchObject({ id, deleted: true })
    await absent(await gateway.request(`/v1/responses/${id}`, owner))
  })
})

describe('videos', () => {
  let upstream: FakeUpstream
  let gateway: Started
  beforeAll(async () => {
    let count = 0
    upstream = await fakeUpstream((seen, response) => {
      if (seen.method === 'POST') return json(response, videoTask(`up_${(count += 1)}`))
      if (!seen.path.endsWith('/content'))
        return json(response, videoTask('up', { status: 'completed', progress: 100 }))
      response.writeHead(200, { 'content-type': 'video/mp4' })
      response.end(secret)
    })
    gateway = await start(withTwoKeys({ up: upstream }))
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  async function made(model: string): Promise<string> {
    const body = { model, prompt: secret, seconds: 4 }
    const response = await gateway.post('/v1/videos', body, owner)
    const text = await response.text()
    expect(response.status, text).toBe(200)
    return JSON.parse(text).id
  }

  const addresses: readonly (readonly [method: string, rest: string])[] = [
    ['GET', ''],
    ['GET', '/content'],
    ['GET', '/content?variant=thumbnail'],
    ['DELETE', ''],
  ]

  describe.each(Object.entries(strangers))('to %s', (_name, options) => {
    test.each(addresses)(
      '%s /v1/videos/{id}%s answers 404 and changes nothing',
      async (method, rest) => {
        const id = await made('up/sora')
        const sent = upstream.seen.length
        await absent(await gateway.request(`/v1/videos/${id}${rest}`, { method, ...options }))
        expect(upstream.seen.length).toBe(sent)
        const content = await gateway.request(`/v1/videos/${id}/content`, owner)
        expect(await content.text()).toBe(secret)
      },
    )

    test('a list contains none of them and cannot start after one', async () => {
      const id = await made('up/sora')
      await made('up/sora')
      for (const query of ['', `?after=${id}&order=asc`, `?after=${id}`]) {
        const list = await gateway.request(`/v1/videos${query}`, options)
        const text = await list.text()
        expect(text).not.toContain(secret)
        if (list.status === 200)
          expect(JSON.parse(text)).toMatchObject({ data: [], has_more: false })
        else expect(list.status).toBeLessThan(500)
      }
    })
  })

  test('of the built-in engine answer 404 too and continue', async () => {
    const id = await made('builtin-video')
    for (const [method, rest] of addresses)
      await absent(await gateway.request(`/v1/videos/${id}${rest}`, { method, ...stranger }))
    expect(await (await gateway.request(`/v1/videos/${id}`, owner)).json()).toMatchObject({ id })
    const removed = await gateway.request(`/v1/videos/${id}`, { method: 'DELETE', ...owner })
    expect(await removed.json()).toMatchObject({ deleted: true })
  })

  test('cannot be addressed by the upstream’s id', async () => {
    const id = await made('up/sora')
    await (await gateway.request(`/v1/videos/${id}`, owner)).text()
    await absent(await gateway.request('/v1/videos/up_1', owner))
    await absent(await gateway.request('/v1/videos/up', owner))
  })
})

// A picture's address is its only key, so that pages can show it: it must tell nothing about any other.
test('image URLs cannot be guessed from other image URLs', async () => {
  await using gateway = await start(withTwoKeys({}))
  const body = { model: 'builtin-image', prompt: 'a red square', size: '256x256', n: 1 }
  const urls: string[] = []
  for (const options of [owner, owner, stranger]) {
    const made = await gateway.post(
      '/v1/images/generations',
      { ...body, response_format: 'url' },
      options,
    )
    const { data } = (await made.json()) as { data: readonly { url: string }[] }
    urls.push(data[0]!.url)
  }
  const names = urls.map((url) =>
    url
      .split('/')
      .at(-1)!
      .replace(/\.\w+$/, ''),
  )
  expect(new Set(names).size).toBe(3)
  for (const [index, name] of names.entries()) {
    expect(name.length).toBeGreaterThanOrEqual(22)
    const path = new URL(urls[index]!).pathname
    const last = name.endsWith('A') ? 'B' : 'A'
    await absent(await gateway.request(path.replace(name, name.slice(0, -1) + last)))
    await absent(await gateway.request(path.replace(name, '')))
    expect((await gateway.request(path, { method: 'DELETE', ...stranger })).status).toBe(405)
    expect((await gateway.request(path, { key: null })).status).toBe(200)
  }
})

describe('keys of SLUICE_API_KEYS', () => {
  const first = 'sk-first0123456789abcdef'
  const second = 'sk-second0123456789abcdef'
  const third = 'sk-third0123456789abcdef'

  /** What the first of two keys has stored, and a gateway over it with other keys. */
  async function moved(keys: string, further: Parameters<typeof start>[0] = {}) {
    const folder = temporaryFolder()
    const options = (list: string) => ({
      dataFolder: folder.path,
      variables: { SLUICE_API_KEYS: list },
    })
    await using before = await start({}, options(`${first},${second}`))
    const made = await before.post(
      '/v1/responses',
      { model: 'builtin-chat', input: secret },
      { key: first },
    )
    const { id } = (await made.json()) as { id: string }
    await before.gateway.store.flush()
    const after = await start(further, options(keys))
    return {
      id,
      after,
      async [Symbol.asyncDispose]() {
        await after[Symbol.asyncDispose]()
        folder[Symbol.dispose]()
      },
    }
  }

  test.each([
    ['the first is removed', second],
    ['another is added before it', `${third},${second}`],
    ['their order is reversed', `${second},${first}`],
  ])('give no access to another key’s responses when %s', async (_name, keys) => {
    await using held = await moved(keys)
    for (const key of keys.split(',').filter((one) => one !== first))
      await absent(await held.after.request(`/v1/responses/${held.id}`, { key }))
  })

  test.each([`${first},${second}`, `${second},${first}`, first, `${third},${first}`])(
    'keep their responses when SLUICE_API_KEYS is %s',
    async (keys) => {
      await using held = await moved(keys)
      const kept = await held.after.request(`/v1/responses/${held.id}`, { key: first })
      expect(await kept.json()).toMatchObject({ id: held.id })
    },
  )

  test('are distinct from configured keys of any name', async () => {
    const names = ['environment_1', 'admin', 'SLUICE_API_KEYS 1', 'SLUICE_ADMIN_KEY']
    const named = names.map((name, index) => ({ name, key: `sk-named${index}0123456789` }))
    await using held = await moved(first, { keys: named })
    for (const { key } of named)
      await absent(await held.after.request(`/v1/responses/${held.id}`, { key }))
    const ids = [first, adminKey, ...named.map(({ key }) => key)].map(
      (one) => held.after.gateway.keys.find(one)?.id,
    )
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).not.toContain(undefined)
  })
})
