import { expect, test } from 'vitest'
import { stamp, stampLength, stampOf } from '../src/clock.ts'
import { chosen, readOptions } from '../src/options.ts'
import { parentIn, residentIn, runNs, ticksIn } from '../src/proc.ts'
import { coresIn } from '../src/processes.ts'
import { takeRequest } from '../src/stub-request.ts'
import { peerOf, startOf } from '../src/peers.ts'
import { buildTarget, givenTarget } from '../src/targets.ts'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

test('parses Linux’s process files', () => {
  expect(parentIn('42 (a) b (c) S 17 42 42 0')).toBe(17)
  expect(runNs('1092109522 307516 24\n')).toBe(1_092_109_522)
  expect(runNs('')).toBe(0)
  expect(residentIn('Name:\tnode\nVmPeak:\t 9 kB\nVmRSS:\t    1024 kB\n')).toBe(1024 * 1024)
  const stat = 'cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\ncpu1 10 1 4 50 5 0 3 7 2 2\n'
  expect(ticksIn(stat, 1)).toEqual({ busy: 18, stolen: 7, total: 80 })
  expect(ticksIn(stat, 7)).toEqual({ busy: 0, stolen: 0, total: 0 })
})

test.each([
  ["pid 7's current affinity list: 0,1\n", [0, 1]],
  ["pid 7's current affinity list: 2-4,9\n", [2, 3, 4, 9]],
  ["pid 7's current affinity list: 3\n", [3]],
  ['', []],
])('parses the CPU list %j', (text, cores) => {
  expect(coresIn(text)).toEqual(cores)
})

test('parses the time stamp of an event, and none without it', () => {
  const event = Buffer.from(`data: {"choices":[{"delta":{"content":"${stamp(1_234_567_890)}"}}]}`)
  expect(stamp(1_234_567_890)).toHaveLength(stampLength)
  expect(stampOf(event)).toBe(1_234_567_890)
  expect(stampOf(Buffer.from('data: {"content":"word"}'))).toBeUndefined()
  expect(stampOf(Buffer.from('data: {"content":"@ word"}'))).toBeUndefined()
})

test.each([
  ['a body with its length', 'POST /v1/x HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc', 'abc'],
  ['no body', 'GET /v1/x HTTP/1.1\r\nHost: a\r\n\r\n', ''],
  [
    'chunks',
    'POST /v1/x HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    '3\r\nabc',
  ],
])('the stub accepts a request once it is complete: %s', (_name, text, body) => {
  const bytes = Buffer.from(text)
  for (let end = 0; end < bytes.length; end += 1)
    expect(takeRequest(bytes.subarray(0, end))).toBeUndefined()
  const taken = takeRequest(Buffer.concat([bytes, Buffer.from('GET /next')]))
  expect(taken).toMatchObject({ path: '/v1/x', length: bytes.length })
  expect(taken?.body.toString()).toBe(body)
})

test('parses the command line', () => {
  expect(readOptions([])).toEqual({
    mode: 'full',
    scenarios: undefined,
    targets: undefined,
    rounds: 5,
    requests: 600_000,
    builds: [],
    recordings: undefined,
    peers: [],
    gateways: [],
    json: false,
  })
  expect(readOptions(['--soak', '--targets', 'bare, sluice', '--json'])).toMatchObject({
    mode: 'soak',
    targets: ['bare', 'sluice'],
    json: true,
  })
  expect(readOptions(['--compare', '--build', 'a=x', '--build', 'b=y'])).toMatchObject({
    mode: 'compare',
    builds: ['a=x', 'b=y'],
  })
  expect(() => buildTarget('../other')).toThrow('name=folder')
  expect(() => readOptions(['--quick', '--keep'])).toThrow('exclude each other')
  expect(() => readOptions(['--rounds', '0'])).toThrow('whole number')
  expect(() => readOptions(['--unknown'])).toThrow("Unknown option '--unknown'")
})

test('rejects unknown names', () => {
  const all = [{ name: 'a' }, { name: 'b' }, { name: 'c' }]
  expect(chosen(all, ['c', 'a'])).toEqual([{ name: 'a' }, { name: 'c' }])
  expect(chosen(all, undefined)).toBe(all)
  expect(() => chosen(all, ['d'])).toThrow('There is no d; there are a, b, c')
})

test('accepts a gateway by command and URL', () => {
  const running = givenTarget('acme=,http://127.0.0.1:9000')
  expect(running).toMatchObject({ name: 'acme', url: new URL('http://127.0.0.1:9000') })
  expect(running.begin).toBeUndefined()
  const started = givenTarget('acme=acme serve --a 1,2 --port {port},http://127.0.0.1:{port}')
  expect(started.name).toBe('acme')
  expect(started.begin).toBeDefined()
  expect(() => givenTarget('acme')).toThrow('name=command,url')
})

test.each(['litellm', 'aisix', 'busbar', 'gomodel', 'agentgateway', 'bifrost'])(
  'fills in the settings of %s',
  (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'bench-peers-'))
    try {
      const { peer, program } = peerOf(`${name}=/opt/${name}`)
      expect(program).toBe(`/opt/${name}`)
      const upstream = 'http://127.0.0.1:9000'
      const started = startOf(peer, { port: '8000', upstream, key: 'sk-key', folder })
      const files = peer.files.map((file) => (file === 'bifrost.json' ? 'config.json' : file))
      const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'))
      const all = [...texts, JSON.stringify(started)].join('\n')
      expect(all).toContain(upstream)
      expect(all).toMatch(/8000/)
      expect(all).not.toMatch(/\{(?:port|upstream|key|folder)\}/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
)

test('rejects a peer without settings', () => {
  expect(() => peerOf('acme=/opt/acme')).toThrow('is not one of litellm=path')
})
