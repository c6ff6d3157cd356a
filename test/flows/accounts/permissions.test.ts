// Permissions of the levels above a key apply to the key, whatever its own permissions are.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../../packages/gateway/src/accounts/secrets.ts'
import type { Account, Terms } from '../../../packages/gateway/src/ports/account.ts'
import { type Answering, fakeUpstream, sse } from '../../support/fakes/fake-upstream.ts'
import { clientStreams, upstreamStreams } from '../../support/fakes/upstream-streams.ts'
import { noSuchAddress } from '../../support/gateways/two-keys.ts'
import { onEachDatabase, type SharedData } from '../../support/servers/databases.ts'
import { type Started, start, until } from '../../support/start.ts'
import { sampleAccount, sampleAudit } from '../../support/store-samples.ts'

const levels = ['key', 'user', 'team', 'organization'] as const
type Level = (typeof levels)[number]

let sequence = 0
/** A key of a user of a team of an organization, one of which has these terms. */
async function keyWith(gateway: Started, terms: Partial<Record<Level, Terms>>): Promise<Made> {
  sequence += 1
  const id = (level: Level) => `${level}_${sequence}`
  const accounts: Account[] = [
    sampleAccount({ id: id('organization'), kind: 'organization', name: 'acme' }),
    sampleAccount({ id: id('team'), parentId: id('organization'), name: 'search' }),
    sampleAccount({ id: id('user'), kind: 'user', parentId: id('team'), name: 'ada' }),
  ].map((account) => ({ ...account, ...terms[account.kind] }))
  const options = { name: 'k', role: 'caller', ownerId: id('user'), ...terms.key } as const
  const { secret, key } = createKey(options, 1)
  const writes = [...accounts.map((account) => ({ account })), { key }]
  const { store, keys } = gateway.gateway
  expect(await store.administer(writes, sampleAudit({ sequence }))).toBe(true)
  await keys.reload()
  return {
    key: secret,
    async change(level, change) {
      sequence += 1
      const account = accounts.find(({ kind }) => kind === level)
      const write =
        account === undefined
          ? { key: { ...key, ...change } }
          : { account: { ...account, ...change } }
      await store.administer([write], sampleAudit({ sequence }))
    },
  }
}

interface Made {
  readonly key: string
  change(level: Level, change: { readonly disabledAt: number }): Promise<void>
}

const chat = { model: 'builtin-chat', messages: [{ role: 'user', content: 'Hello' }] }
const who = {
  key: 'This key',
  user: 'The user ada',
  team: 'The team search',
  organization: 'The organization acme',
}

async function refused(response: Response, message: string): Promise<void> {
  expect(response.status).toBe(403)
  const { error } = (await response.json()) as { error: { type: string; message: string } }
  expect(error).toMatchObject({ message, type: 'permission_error' })
}

interface Models {
  readonly data: readonly { readonly operations: readonly string[] }[]
}

/** Begins an answer and never ends it. */
const endless =
  (events: readonly string[]): Answering =>
  (seen, response) =>
    seen.path.endsWith('/responses')
      ? noSuchAddress(response)
      : sse(response, events, { end: false })

onEachDatabase((newData) => {
  let data: SharedData
  let gateway: Started
  beforeAll(async () => {
    sequence = 0
    data = await newData()
    const server = { trustedProxies: ['127.0.0.1', '10.9.0.0/16'] }
    gateway = await start({ server }, data.options)
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await data[Symbol.asyncDispose]()
  })

  describe.each(levels)('a restriction of the %s', (level) => {
    test('to models refuses and hides others', async () => {
      const options = await keyWith(gateway, { [level]: { models: ['builtin-chat', 'gpt-*'] } })
      const embed = { model: 'builtin-embed', input: 'x' }
      expect((await gateway.post('/v1/chat/completions', chat, options)).status).toBe(200)
      await refused(
        await gateway.post('/v1/embeddings', embed, options),
        `${who[level]} may not use the model builtin-embed`,
      )
      const list = await gateway.request('/v1/models', options)
      const { data } = (await list.json()) as { data: { id: string }[] }
      expect(data.length).toBeGreaterThan(1)
      expect(data.filter(({ id }) => !/^(builtin-chat|gpt-)/.test(id))).toEqual([])
    })

    test('to operations refuses others in every format and hides their models', async () => {
      const options = await keyWith(gateway, { [level]: { operations: ['embed'] } })
      const embed = { model: 'builtin-embed', input: 'x' }
      expect((await gateway.post('/v1/embeddings', embed, options)).status).toBe(200)
      const contents = [{ parts: [{ text: 'x' }] }]
      const message = `${who[level]} may not use the operation`
      for (const [path, body] of [
        ['/v1/chat/completions', chat],
        ['/chat/completions', chat],
        ['/v1/responses', { model: 'builtin-chat', input: 'x' }],
        ['/v1/messages', { ...chat, max_tokens: 9 }],
        ['/v1beta/models/builtin-chat:generateContent', { contents }],
        ['/v1beta/models/builtin-chat:streamGenerateContent', { contents }],
      ] as const) {
        const response = await gateway.post(path, body, options)
        expect(await response.text(), path).toContain(`${message} chat`)
        expect(response.status, path).toBe(403)
      }
      await refused(await gateway.request('/v1/videos', options), `${message} getVideo`)
      await refused(await gateway.request('/v1/responses/resp_1', options), `${message} chat`)
      const batch = { requests: [{ model: 'models/builtin-embed', content: contents[0] }] }
      const allowed = await gateway.post(
        '/v1beta/models/builtin-embed:batchEmbedContents',
        batch,
        options,
      )
      expect(allowed.status).toBe(200)
      const { data } = (await (await gateway.request('/v1/models', options)).json()) as Models
      expect(new Set(data.map(({ operations }) => operations.includes('embed')))).toEqual(
        new Set([true]),
      )
    })

    test('to addresses refuses others and trusts only known proxies', async () => {
      const options = await keyWith(gateway, {
        [level]: { addresses: ['192.0.2.0/24', '2001:db8::/32'] },
      })
      const from = (forwarded: string) =>
        gateway.post('/v1/chat/completions', chat, {
          ...options,
          headers: { 'x-forwarded-for': forwarded },
        })
      for (const allowed of [
        '192.0.2.9',
        '1.2.3.4, 192.0.2.9',
        '192.0.2.9,10.9.1.1',
        '2001:db8::7',
        // As Azure's gateways say it, and with what comes of sockets that take both kinds.
        '192.0.2.9:50123',
        '[2001:db8::7]:50123, 10.9.1.1:443',
        '::ffff:192.0.2.9',
      ])
        expect((await from(allowed)).status, allowed).toBe(200)
      const message = `${who[level]} may not be used from this address`
      for (const other of [
        '192.0.3.1',
        '192.0.2.9, 192.0.3.1',
        '192.0.2.9, x',
        'x',
        '2001:db9::1',
        '192.0.3.1:80',
        '192.0.2.9:x',
        '192.0.2.9.1:80',
        '',
      ])
        await refused(await from(other), message)
      await refused(await gateway.post('/v1/chat/completions', chat, options), message)
      await refused(await gateway.request('/v1/models', options), message)
    })

    test('by expiry or disabling invalidates the key', async () => {
      const expired = await keyWith(gateway, { [level]: { expiresAt: Date.now() - 1 } })
      expect((await gateway.post('/v1/chat/completions', chat, expired)).status).toBe(401)
      const options = await keyWith(gateway, {})
      expect((await gateway.post('/v1/chat/completions', chat, options)).status).toBe(200)
      await options.change(level, { disabledAt: 1 })
      await gateway.gateway.keys.reload()
      const response = await gateway.post('/v1/chat/completions', chat, options)
      expect(response.status).toBe(401)
      expect(await response.json()).toMatchObject({ error: { code: 'invalid_api_key' } })
    })
  })

  test('restrictions of all levels apply, and the error names the first that forbids', async () => {
    const options = await keyWith(gateway, {
      key: { models: ['*'] },
      user: { models: ['builtin-*'] },
      team: { models: ['builtin-chat'] },
    })
    expect((await gateway.post('/v1/chat/completions', chat, options)).status).toBe(200)
    await refused(
      await gateway.post('/v1/embeddings', { model: 'builtin-embed', input: 'x' }, options),
      'The team search may not use the model builtin-embed',
    )
  })
})

describe.each(upstreamStreams)('an upstream of type $type', ({ type, preamble, content }) => {
  test.each(clientStreams)(
    'a stream of $name ends with an error event when another process disables the team',
    async (client) => {
      await using upstream = await fakeUpstream(endless([...preamble, ...content]))
      await using served = await start({
        providers: { up: { type, baseUrl: upstream.url, key: 'k' } },
      })
      sequence = 0
      const options = await keyWith(served, {})
      const answer = await served.post(client.path('up/m'), client.body('up/m'), options)
      const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      while (client.text(text) !== 'Hello') text += (await reader.read()).value ?? ''
      // As another replica would: nobody tells this gateway to read the keys again.
      await options.change('team', { disabledAt: 1 })
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        text += value
      }
      expect(client.isError(text), text).toBe(true)
      expect(client.isWhole(text)).toBe(false)
      expect(text).toContain('The API key is not valid any more')
      await until(() => upstream.seen.at(-1)?.isOver)
    },
  )
})
