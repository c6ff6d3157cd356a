import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GatewayError } from '../../../contract/src/core/errors.ts'
import { Network } from '../../src/dial/network.ts'
import {
  createMediaFetcher,
  type FetchMedia,
  type MediaFetcherOptions,
} from '../../src/media/fetch-media.ts'

const listener: RequestListener = (request, reply) => {
  seen.push(`${request.headers.host ?? ''}${request.url ?? ''}`)
  const path = request.url ?? ''
  const hop = /^\/hop\/(\d+)$/.exec(path)?.[1]
  const to = /^\/to\?(.*)$/.exec(path)?.[1]
  if (to !== undefined) reply.writeHead(302, { location: decodeURIComponent(to) }).end()
  else if (hop !== undefined)
    reply.writeHead(301, { location: hop === '0' ? '/file' : `/hop/${Number(hop) - 1}` }).end()
  else if (path === '/file') reply.setHeader('content-type', 'image/PNG; x=1').end('bytes')
  else if (path === '/empty') reply.end()
  else if (path === '/big') reply.writeHead(200, { 'content-length': '5000' }).end()
  else if (path === '/endless') pour(reply)
  else if (path === '/silent') return
  else if (path === '/packed') reply.writeHead(200, { 'content-encoding': 'gzip' }).end('x')
  else reply.writeHead(404).end('no')
}

function pour(reply: Parameters<RequestListener>[1]): void {
  const more = (): void => {
    while (!reply.destroyed && reply.write(Buffer.alloc(1000)));
  }
  reply.on('drain', more)
  more()
}

const seen: string[] = []
let server: Server
let origin = ''

beforeAll(async () => {
  server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
})

const network = new Network()
afterAll(() => network[Symbol.asyncDispose]())
const open = createMediaFetcher({ network, allowPrivateAddresses: true })
const guarded = createMediaFetcher({ network })

function read(url: string, fetcher: FetchMedia = open, more: object = {}) {
  return fetcher(url, { bytesMax: 2000, timeoutMs: 5000, param: 'image', ...more })
}

async function refusal(work: Promise<unknown>): Promise<GatewayError> {
  const error = await work.then(
    () => new Error('was not refused'),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(GatewayError)
  return error as GatewayError
}

async function expectRefused(work: Promise<unknown>, text: RegExp): Promise<void> {
  const error = await refusal(work)
  expect(error.status).toBe(400)
  expect(error.details.param).toBe('image')
  expect(error.message).toMatch(text)
}

describe('data URLs', () => {
  test.each([
    ['data:image/png;base64,aGVsbG8=', 'hello', 'image/png'],
    ['data:image/png;charset=x;base64,aGVsbG8', 'hello', 'image/png'],
    ['DATA:;base64,aGVsbG8=', 'hello', undefined],
    ['data:text/plain,a%20b+c', 'a b+c', 'text/plain'],
    ['data:,%E2%82%AC', '€', undefined],
    ['aGVsbG8=', 'hello', undefined],
  ])('%s is decoded', async (url, text, contentType) => {
    const media = await read(url)
    expect(Buffer.from(media.bytes).toString()).toBe(text)
    expect(media.contentType).toBe(contentType)
  })

  test.each([
    'data:image/png;base64,aGVsbG8==',
    'data:image/png;base64,aGVs bG8=',
    'data:image/png;base64,aGVsbG8_',
    'data:image/png;base64,=',
    'data:image/png;base64,',
    'data:image/png;base64',
    'data:text/plain,%zz',
    'data:,',
    'not a url',
    'hello',
    '',
    'file:///etc/passwd',
    'ftp://example.com/a.png',
    'javascript:alert(1)',
  ])('%s is rejected', async (url) => {
    await expectRefused(read(url), /./)
  })

  test('are limited in size exactly', async () => {
    const fits = Buffer.alloc(2000, 1)
    expect((await read(`data:;base64,${fits.toString('base64')}`)).bytes).toEqual(fits)
    const over = Buffer.alloc(2001, 1).toString('base64')
    await expectRefused(read(`data:;base64,${over}`), /larger than 2000 bytes/)
    await expectRefused(read(over), /larger than/)
    await expectRefused(read(`data:,${'a'.repeat(2001)}`), /larger than/)
  })
})

describe('http URLs', () => {
  test('return the file and its type without parameters', async () => {
    const media = await read(`${origin}/file`)
    expect(Buffer.from(media.bytes).toString()).toBe('bytes')
    expect(media.contentType).toBe('image/png')
  })

  test('follow at most three redirects', async () => {
    expect((await read(`${origin}/hop/2`)).bytes).toHaveLength(5)
    await expectRefused(read(`${origin}/hop/3`), /redirects more than 3/)
  })

  test.each([
    ['/missing', /status 404/],
    ['/empty', /empty/],
    ['/big', /larger/],
    ['/endless', /larger/],
    ['/packed', /compressed/],
  ])('%s is rejected', async (path, text) => {
    await expectRefused(read(origin + path), text)
  })

  test('time out, and end when the caller disconnects', async () => {
    await expectRefused(read(`${origin}/silent`, open, { timeoutMs: 200 }), /within 1 seconds/)
    const leaving = new AbortController()
    const work = refusal(read(`${origin}/silent`, open, { signal: leaving.signal }))
    leaving.abort()
    expect((await work).code).toBe('cancelled')
  })

  test('report an unreachable address as the caller’s error', async () => {
    await expectRefused(read('http://127.0.0.1:1/x'), /could not be read/)
  })
})

describe('the address guard', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '0177.0.0.1',
    '2130706433',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '[::]',
    '[::1]',
    '[::7f00:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::10.0.0.1]',
    '[64:ff9b:1::1]',
    '[fe80::1]',
    '[fec0::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
    '[2002:7f00:1::]',
    '[2001:db8::1]',
    '127.0.0.1.',
  ])('rejects %s', async (host) => {
    await expectRefused(read(`http://${host}/x`, guarded), /the gateway may not read from/)
  })

  const names: Readonly<Record<string, readonly string[]>> = {
    'inside.example': ['10.0.0.7'],
    'mixed.example': ['93.184.216.34', '10.0.0.7'],
    'odd.example': ['not an address'],
  }
  const resolve: NonNullable<MediaFetcherOptions['resolve']> = async (name) => names[name] ?? []

  test.each([...Object.keys(names), 'unknown.example'])(
    'rejects %s with the same message',
    async (name) => {
      const fetcher = createMediaFetcher({ network, resolve })
      const error = await refusal(read(`http://${name}/x`, fetcher))
      expect(error.message).toBe('This URL points to an address that the gateway may not read from')
      expect(JSON.stringify(error.toJSON())).not.toContain('10.0.0')
    },
  )

  test('rejects the system’s localhost', async () => {
    await expectRefused(read('http://localhost/x', guarded), /the gateway may not read/)
  })

  test('rejects credentials in a URL', async () => {
    await expectRefused(read('http://user:secret@example.com/x', guarded), /user name/)
  })

  test('checks each redirect again', async () => {
    const fetcher = createMediaFetcher({ network, allowedNetworks: ['127.0.0.1'], resolve })
    expect((await read(`${origin}/file`, fetcher)).bytes).toHaveLength(5)
    const before = seen.length
    for (const target of [
      'http://169.254.169.254/latest/meta-data',
      'http://127.0.0.2/x',
      'http://inside.example/x',
      'http://a:b@example.com/',
      'file:///etc/passwd',
    ]) {
      const work = read(`${origin}/to?${encodeURIComponent(target)}`, fetcher)
      await expectRefused(work, /the gateway may not read|user name|not an http/)
    }
    expect(seen.slice(before).every((line) => line.includes('/to?'))).toBe(true)
  })

  test('resolves a name once and connects to the checked address', async () => {
    const answers = [['127.0.0.1'], ['10.9.9.9']]
    const asked: string[] = []
    const fetcher = createMediaFetcher({
      network,
      allowedNetworks: ['127.0.0.0/8'],
      resolve: async (name) => {
        asked.push(name)
        return answers.shift() ?? []
      },
    })
    const { port } = new URL(origin)
    const media = await read(`http://rebinding.example:${port}/file`, fetcher)
    expect(media.bytes).toHaveLength(5)
    expect(asked).toEqual(['rebinding.example'])
    expect(seen.at(-1)).toBe(`rebinding.example:${port}/file`)
  })

  test('times out a resolver that never answers', async () => {
    const fetcher = createMediaFetcher({ network, resolve: () => new Promise(() => {}) })
    await expectRefused(read('http://slow.example/', fetcher, { timeoutMs: 100 }), /within/)
  })
})
