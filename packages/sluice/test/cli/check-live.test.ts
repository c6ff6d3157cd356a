import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  type Answering,
  fakeUpstream,
  json,
  type SeenRequest,
} from '../../../../test/support/fakes/fake-upstream.ts'
import { chatReply } from '../../../../test/support/fakes/openai-wire.ts'
import { runSluice } from '../../../../test/support/run-sluice.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { check } from '../../src/cli/check.ts'
import { readEnvironment } from '../../src/config/env.ts'

const good = 'sk-good-0123456789'
/** Of no form that keys are known by. */
const bad = 'BADKEY0123456789'

const list = (response: ServerResponse) =>
  json(response, { object: 'list', data: [{ id: 'small' }, { id: 'large' }] })
const refuse = (response: ServerResponse) =>
  json(
    response,
    {
      error: { message: `Incorrect API key provided: ${bad}`, type: 't', code: 'invalid_api_key' },
    },
    { status: 401 },
  )
const hasGoodKey = ({ headers }: SeenRequest) => headers['authorization'] === `Bearer ${good}`

/** As most providers do: no key, no list. */
const strict: Answering = (seen, response) => (hasGoodKey(seen) ? list(response) : refuse(response))
/** Its list is open to all; only a call shows whether a key is good. */
const openList: Answering = (seen, response) => {
  if (seen.method === 'GET') list(response)
  else if (hasGoodKey(seen)) json(response, chatReply('Hi'))
  else refuse(response)
}
/** It has no list, and finds fault with the small request of a good key. */
const listless: Answering = (seen, response) => {
  if (seen.method === 'GET') json(response, {}, { status: 404 })
  else if (hasGoodKey(seen)) json(response, { error: { message: 'No' } }, { status: 400 })
  else refuse(response)
}

interface Report {
  readonly isFine: boolean
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  readonly live: readonly { readonly provider: string; readonly verdict: string }[]
}

async function checked(yaml: string, options: { timeoutMs?: number } = {}) {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.yaml')
  writeFileSync(file, yaml)
  const environment = readEnvironment({ SLUICE_CONFIG: file, SLUICE_DATA: folder.path })
  const written: string[] = []
  const screen = { isTTY: true, write: (text: string) => written.push(text) }
  const told = await check(environment, { live: true, screen, ...options })
  expect(written[0]).toMatch(/0 (?:%.*of \d+ )?keys tried$/)
  expect(written.at(-1)).toBe('\r\u001b[K')
  const { text } = await check(environment, { live: true, json: true, ...options })
  const report = JSON.parse(text) as Report
  expect(told.isFine).toBe(report.isFine)
  for (const all of [told.text, text]) expect(all).not.toMatch(/sk-good|BADKEY/)
  return { text: told.text, report }
}

const provider = (url: string, keys: readonly string[]) =>
  `{ type: openai, baseUrl: "${url}", keys: [${keys.join(', ')}] }`

test.each([
  ['that shows its models to good keys', strict],
  ['that shows its models to everybody', openList],
  ['that has no list of its models', listless],
])(
  'check --live distinguishes valid from rejected keys at a provider %s',
  async (_which, answering) => {
    await using upstream = await fakeUpstream(answering)
    const { text, report } = await checked(
      `providers: { acme: ${provider(upstream.url, [good, bad])} }`,
    )
    expect(report.live).toMatchObject([
      { provider: 'acme', key: 1, verdict: 'ok' },
      { provider: 'acme', key: 2, verdict: 'refused', status: 401 },
    ])
    expect(report.isFine).toBe(false)
    expect(report.problems).toEqual([expect.stringMatching(/^acme, key 2: key refused \(401\)/)])
    expect(text).toMatch(/^ {11}acme, key 1: .+, \d+ ms$/m)
  },
)

test('check --live generates nothing where only a call shows whether a key is good', async () => {
  await using upstream = await fakeUpstream(openList)
  await checked(`providers: { acme: ${provider(upstream.url, [good, bad])} }`)
  const calls = upstream.seen.filter(({ method }) => method === 'POST')
  expect(calls.length).toBeGreaterThan(0)
  for (const { body } of calls) expect(Object.keys(body)).toEqual(['model'])
})

test('check --live says where a key could not be examined', async () => {
  await using upstream = await fakeUpstream((seen, response) =>
    seen.method === 'GET' ? list(response) : json(response, { error: 'No' }, { status: 400 }),
  )
  const { text } = await checked(`providers: { acme: ${provider(upstream.url, [good])} }`)
  expect(text).toContain('only a paid request would show whether the key is good')
})

test('check --live knows an address that is missing although the status is 200', async () => {
  await using upstream = await fakeUpstream((seen, response) =>
    seen.method === 'GET'
      ? json(response, { error: `Unexpected endpoint or method. (GET ${seen.path})` })
      : json(response, { error: { message: 'No messages' } }, { status: 400 }),
  )
  const { report } = await checked(`providers: { acme: ${provider(upstream.url, [good])} }`)
  expect(report.live).toMatchObject([{ verdict: 'ok' }])
})

test('check --live reports unreachable and silent providers in parallel', async () => {
  await using silent = await fakeUpstream(() => {})
  await using other = await fakeUpstream(strict)
  const yaml = `providers:
  gone: ${provider('http://127.0.0.1:1', [good])}
  silent: ${provider(silent.url, [good, bad])}
  fine: ${provider(other.url, [good])}
`
  const { report } = await checked(yaml, { timeoutMs: 1_500 })
  expect(report.live.map(({ provider: id, verdict }) => [id, verdict])).toEqual([
    ['gone', 'unreachable'],
    ['silent', 'unreachable'],
    ['silent', 'unreachable'],
    ['fine', 'ok'],
  ])
  expect(report.problems).toEqual([
    expect.stringMatching(/^gone, key 1: unreachable \(.*ECONNREFUSED/),
    expect.stringContaining('silent, key 1: unreachable (no answer within 1500 ms)'),
    expect.stringContaining('silent, key 2: unreachable (no answer within 1500 ms)'),
  ])
})

test.each<[string, Answering, RegExp]>([
  ['a failing provider', (_seen, response) => json(response, {}, { status: 503 }), /answered 503/],
  [
    'an answer that is not a list of models',
    (_seen, response) => void response.end('<html>'),
    /did not return a model list/,
  ],
  [
    'a wrong base URL',
    (_seen, response) => json(response, {}, { status: 404 }),
    /is baseUrl right/,
  ],
])('check --live reports %s', async (_what, answering, words) => {
  await using upstream = await fakeUpstream(answering)
  const { report } = await checked(`providers: { acme: ${provider(upstream.url, [good])} }`)
  expect(report.live).toMatchObject([{ verdict: 'failing' }])
  expect(report.problems).toEqual([expect.stringMatching(words)])
})

test('check --live accepts a bare model name that a provider lists', async () => {
  await using upstream = await fakeUpstream(strict)
  const yaml = (fallback: string) => `
providers: { acme: ${provider(upstream.url, [good])} }
models: { main: { targets: [{ target: acme/large }], fallback: [${fallback}] } }
`
  expect((await checked(yaml('small'))).report.problems).toEqual([])
  expect((await checked(yaml('smal'))).report.problems).toEqual([
    'models.main leads to smal, which is not configured.',
  ])
})

test('check warns of a model that its provider does not list', async () => {
  await using upstream = await fakeUpstream(strict)
  const yaml = (target: string) => `
providers:
  acme: ${provider(upstream.url, [good])}
  own: { type: openai, baseUrl: "${upstream.url}", key: ${good}, models: [mine] }
models: { main: { targets: [${target}, own/other], fallback: [own/mine] } }
`
  const other = 'models.main leads to own/other, but own does not list other.'
  expect((await checked(yaml('acme/large'))).report.warnings).toContain(other)
  const { warnings, isFine } = (await checked(yaml('acme/larg'))).report
  expect(isFine).toBe(true)
  expect(warnings.filter((warning) => warning.includes('does not list'))).toEqual([
    'models.main leads to acme/larg, but acme does not list larg. Did you mean "large"?',
    other,
  ])
})

test('check --live --json sets the exit code', async () => {
  await using upstream = await fakeUpstream(strict)
  using folder = temporaryFolder()
  for (const [key, exitCode] of [
    [good, 0],
    [bad, 1],
  ] as const) {
    writeFileSync(
      join(folder.path, 'sluice.yaml'),
      `providers: { acme: ${provider(upstream.url, [key])} }`,
    )
    const finished = await runSluice(['check', '--live', '--json'], { folder: folder.path })
    expect(finished.exitCode).toBe(exitCode)
    expect(JSON.parse(finished.stdout)).toMatchObject({ isFine: exitCode === 0 })
  }
})
