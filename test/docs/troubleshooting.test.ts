// The page of messages: each is one that the program says, as its sources or a running gateway show, and each command exists.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createProgram } from '../../packages/sluice/src/cli/program.ts'
import { type FakeUpstream, fakeUpstream } from '../support/fakes/fake-upstream.ts'
import { granted } from '../support/administrate.ts'
import { root } from '../support/npm.ts'
import { ask, error, good } from '../support/routes.ts'
import { type Started, start } from '../support/start.ts'

const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8')
const rows = [...page.matchAll(/^\| `([^`]+)` \| (.+) \| (.+) \|$/gm)]
const messages = rows.map(([, message = '']) => message)

/** What `…` stands for is anything, within one line. */
function patternOf(message: string): RegExp {
  const parts = message
    .replace(/^… /, '')
    .split('…')
    .map((part) => RegExp.escape(part))
  return new RegExp(parts.join('[^\\n]{0,200}'))
}

const sources = readdirSync(join(root, 'packages'))
  .flatMap((name) => {
    const folder = join(root, 'packages', name, 'src')
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) =>
      join(folder, file),
    )
  })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(file, 'utf8'))

/** By a message of the page, the request that it answers, as the body of a chat or another path. */
const requests: Readonly<Record<string, Asked>> = {
  'No API key: send it as Authorization: Bearer <API_KEY>': { key: null },
  'The API key is not valid': { key: 'sk-unknown0123456789abcdef' },
  'The model … does not exist': { model: 'nosuchmodel' },
  '… is off: set …': { model: 'groq/some-model' },
  '… may not use the model …': { key: 'sk-models0123456789abcdef', model: 'acme/other' },
  '… may make … requests per minute; try again in …': { key: 'sk-rate0123456789abcdef', times: 2 },
  '… may use … tokens per minute, and this request may take …': {
    key: 'sk-tokens0123456789abcdef',
  },
  '… has … left, and this request may cost up to …': { key: 'budget' },
  '… has a budget that counts …, and the price of … is unknown: write … into sluice.yaml': {
    key: 'budget',
    model: 'acme/unpriced',
  },
  'Unknown path: …': { path: '/v2/nothing' },
  '… is not implemented by this gateway (…): send it to the provider itself': {
    path: '/v1/batches',
  },
  'The request body is larger than … bytes': { padding: 20_000 },
  '… refused the gateway’s credential or account (…)': { model: 'refusing/some-model' },
  'Every key of … was refused and is not used at the moment': {
    model: 'refusing/some-model',
    times: 2,
  },
}

interface Asked {
  readonly key?: string | null
  readonly model?: string
  readonly path?: string
  readonly times?: number
  readonly padding?: number
}

describe('the messages', () => {
  const closing = new AsyncDisposableStack()
  let gateway: Started
  let budgetKey = ''
  beforeAll(async () => {
    const upstream: FakeUpstream = closing.use(await fakeUpstream(good))
    const refusing = closing.use(await fakeUpstream(error(401)))
    const of = ({ url }: FakeUpstream, ...ids: readonly string[]) => ({
      type: 'openai' as const,
      baseUrl: url,
      key: 'key',
      models: ids.map((id) => ({ id })),
    })
    const keyOf = (name: string, terms: object) => ({
      name,
      key: `sk-${name}0123456789abcdef`,
      ...terms,
    })
    gateway = closing.use(
      await start({
        server: { bodyLimitBytes: 10_000 },
        providers: {
          acme: of(upstream, 'small', 'other', 'unpriced'),
          refusing: of(refusing, 'some-model'),
        },
        prices: { 'acme/small': { input: 1, output: 1 } },
        keys: [
          keyOf('models', { models: ['acme/small'] }),
          keyOf('rate', { requestsPerMinute: 1 }),
          keyOf('tokens', { tokensPerMinute: 1 }),
        ],
      }),
    )
  })
  beforeAll(async () => {
    const budgets = [{ limitMicroUsd: 1, window: 'month' }]
    const made = await granted(gateway, 'POST /admin/v1/keys', { name: 'budget', budgets })
    budgetKey = made.secret
  })
  afterAll(() => closing.disposeAsync())

  test('are more than forty, each once', () => {
    expect(messages.length).toBeGreaterThan(40)
    expect(new Set(messages).size).toBe(messages.length)
    expect(page.match(/^\| `/gm)).toHaveLength(messages.length)
  })

  test.each(messages)('%s', async (message) => {
    const asked = requests[message]
    if (asked === undefined) {
      const isSaid = sources.some((text) => patternOf(message).test(text))
      expect(isSaid, `no source says: ${message}`).toBe(true)
      return
    }
    const {
      key,
      model = 'acme/small',
      path = '/v1/chat/completions',
      times = 1,
      padding = 0,
    } = asked
    let text = ''
    for (let call = 0; call < times; call++) {
      const body = { model, ...ask, metadata: { padding: 'x'.repeat(padding) } }
      const options = key === undefined ? {} : { key: key === 'budget' ? budgetKey : key }
      const response = await gateway.post(path, body, options)
      text = await response.text()
    }
    const { error: told } = JSON.parse(text) as { readonly error: { readonly message: string } }
    expect(told.message).toMatch(patternOf(message))
  })

  test('that are answered are all on the page', () => {
    expect(messages).toEqual(expect.arrayContaining(Object.keys(requests)))
  })
})

test('each command of the page exists', () => {
  const program = createProgram(
    () => {},
    () => {},
  )
  const commands = [...page.matchAll(/`sluice ([^`]+)`/g)].map(([, command = '']) =>
    command.split(' '),
  )
  expect(commands.length).toBeGreaterThan(10)
  for (const [name = '', ...rest] of commands) {
    const first = program.commands.find((command) => command.name() === name)
    const found = first?.commands.find((command) => command.name() === rest[0]) ?? first
    expect(found, name).toBeDefined()
    for (const option of rest.filter((word) => word.startsWith('--')))
      expect(
        found?.options.map(({ long }) => long),
        `sluice ${name} ${option}`,
      ).toContain(option)
  }
})
