// Downloads that lead to another origin: where they may go, over which addresses, and without credentials.
import { expect, test } from 'vitest'
import { fakeUpstream } from '../../../../test/support/fakes/fake-upstream.ts'
import { openForwardProxy } from '../../../../test/support/servers/forward-proxy.ts'
import { ask, type Outgoing } from '../../src/call/send.ts'
import { Network } from '../../src/dial/network.ts'
import { createSender, type SenderOptions } from '../../src/upstream/send.ts'

const headers = { authorization: 'Bearer secret', 'x-operator': 'secret' }

async function get(
  url: string,
  options: SenderOptions,
  download?: Outgoing['download'],
  dialing: Outgoing['dialing'] = {},
) {
  await using network = new Network()
  const outgoing: Outgoing = {
    method: 'GET',
    url,
    headers,
    body: undefined,
    connectMs: 2_000,
    dialing,
    ...(download && { download }),
  }
  const received = await ask(createSender(network, options), outgoing, AbortSignal.timeout(5_000))
  return { status: received.status, text: Buffer.from(received.bytes).toString() }
}

/** A server that redirects everything but `/clip`. */
const leadingTo = (location: () => string) =>
  fakeUpstream(({ path }, response) => {
    if (path === '/clip') response.end('clip')
    else response.writeHead(302, { location: location() }).end()
  })

test('follows a redirect to another origin without credentials, at the checked address', async () => {
  await using other = await leadingTo(() => '')
  const { port } = new URL(other.url)
  await using upstream = await leadingTo(() => `http://clips.example:${port}/clip`)
  const asked: string[] = []
  const options: SenderOptions = {
    isAllowed: (address) => asked.push(address) > 0,
    resolve: async (name) => (name === 'clips.example' ? ['127.0.0.1'] : []),
  }
  const { text } = await get(`${upstream.url}/content`, options, { home: upstream.url })
  expect(text).toBe('clip')
  expect(asked).toEqual(['127.0.0.1'])
  expect(upstream.seen[0]?.headers).toMatchObject(headers)
  expect(other.seen[0]?.headers['host']).toBe(`clips.example:${port}`)
  expect(JSON.stringify(other.seen[0]?.headers)).not.toContain('secret')
})

test('follows a redirect back to the upstream without credentials', async () => {
  await using other = await leadingTo(() => `${upstream.url}/clip`)
  await using upstream = await leadingTo(() => `${other.url}/content`)
  const options = { isAllowed: () => true }
  const { text } = await get(`${upstream.url}/content`, options, { home: upstream.url })
  expect(text).toBe('clip')
  expect(JSON.stringify(upstream.seen.at(-1)?.headers)).not.toContain('secret')
})

test.each<[string, readonly string[]]>([
  ['no address', []],
  ['a private address', ['10.0.0.8']],
  ['a private address beside a public one', ['93.184.215.14', '10.0.0.8']],
  ['the address of a metadata service', ['169.254.169.254']],
  ['an address of this machine', ['::1']],
])('rejects a host name with %s', async (_name, addresses) => {
  await using upstream = await leadingTo(() => 'https://clips.example/clip')
  const options = { resolve: async () => addresses }
  await expect(get(`${upstream.url}/content`, options, { home: upstream.url })).rejects.toThrow(
    'may not read from',
  )
})

test('checks an address that the upstream named first', async () => {
  await using other = await leadingTo(() => '')
  const home = 'https://upstream.example'
  await expect(get(`${other.url}/clip`, {}, { home })).rejects.toThrow('may not read from')
  expect(other.seen).toHaveLength(0)
})

test('follows at most three redirects', async () => {
  await using upstream = await leadingTo(() => '/again')
  const { status } = await get(`${upstream.url}/content`, {}, { home: upstream.url })
  expect(status).toBe(302)
  expect(upstream.seen).toHaveLength(4)
})

test('does not follow redirects of other requests', async () => {
  await using upstream = await leadingTo(() => '/clip')
  expect((await get(`${upstream.url}/models`, {})).status).toBe(302)
  expect(upstream.seen).toHaveLength(1)
})

test('another origin is reached through the provider’s proxy, at the address that was checked', async () => {
  await using other = await leadingTo(() => '')
  const { port } = new URL(other.url)
  await using upstream = await leadingTo(() => `http://clips.example:${port}/clip`)
  await using proxy = await openForwardProxy()
  const options: SenderOptions = {
    isAllowed: () => true,
    resolve: async (name) => (name === 'clips.example' ? ['127.0.0.1'] : []),
  }
  const home = { home: upstream.url }
  const { text } = await get(`${upstream.url}/content`, options, home, { proxy: proxy.url })
  expect(text).toBe('clip')
  expect(proxy.seen).toEqual([`GET ${upstream.url}/content`, `GET http://127.0.0.1:${port}/clip`])
  expect(other.seen[0]?.headers['host']).toBe(`clips.example:${port}`)
})
