// No secret of the settings or the environment appears in anything that can be read.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { addresses } from '../../../packages/server/src/routes.ts'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { type ServerProcess, startServer } from '../../support/gateways/server-process.ts'
import { main, runSluice } from '../../support/run-sluice.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Recognizable wherever it is quoted, and in parts. */
const mark = (place: string): string => `mArKeD${place}0123456789`
const isMarked = /mArKeD\w+/

const webhookSecret = `whsec_${Buffer.from(mark('webhooksecretofalength')).toString('base64')}`
const adminKey = `sk-${mark('admin')}`
const headers = (place: string) => ({
  authorization: `Bearer ${mark(place)}`,
  'x-own': mark(place),
})

/** The settings, whose upstreams, webhook and collector are at `url`. */
function settingsAt(url: string) {
  const { host } = new URL(url)
  const secretUrl = (place: string) => `http://user:${mark(place)}@${host}/v1?token=${mark(place)}q`
  return {
    providers: {
      quoting: {
        type: 'openai',
        baseUrl: `${url}/v1`,
        key: mark('key'),
        headers: headers('header'),
        models: ['ok'],
      },
      several: { type: 'openai', baseUrl: `${url}/v1`, keys: [mark('keys1'), mark('keys2')] },
      'with-account': { type: 'openai', baseUrl: secretUrl('baseurl'), models: ['ok'] },
      proxied: {
        type: 'openai',
        baseUrl: 'http://models.example/v1',
        key: mark('proxiedkey'),
        proxy: `http://user:${mark('ownproxy')}@127.0.0.1:1`,
        models: ['ok'],
      },
      off: { type: 'anthropic', baseUrl: `${url}/v1`, key: mark('off'), enabled: false },
      // A file of the cloud's account as a key.
      cloud: {
        kind: 'google-vertex',
        project: 'p',
        location: 'l',
        key: JSON.stringify({
          type: 'service_account',
          client_email: 'a@example.iam',
          private_key: mark('privatekey'),
        }),
      },
    },
    models: { fast: { targets: [{ target: 'quoting/ok' }], fallback: ['several/ok'] } },
    prices: { 'quoting/*': { input: 1, output: 1 } },
    keys: [{ name: 'batch', key: `sk-${mark('callerkey')}` }],
    jwt: [
      {
        issuer: 'https://issuer.example',
        audience: 'sluice',
        jwksUrl: `https://user:${mark('jwks')}@issuer.example/keys?code=${mark('jwksquery')}`,
      },
    ],
    console: {
      oidc: { issuer: 'https://issuer.example', clientId: 'c', clientSecret: mark('oidcsecret') },
    },
    alerts: { webhooks: [{ url: `${url}/hooks/${mark('webhookurl')}`, secret: webhookSecret }] },
    telemetry: {
      metrics: { key: mark('metricskey') },
      traces: { endpoint: secretUrl('traces'), headers: headers('traceheader') },
    },
  }
}

const variables = {
  SLUICE_ADMIN_KEY: adminKey,
  SLUICE_ENCRYPTION_KEY: mark('encryptionkey0123456789'),
  HTTPS_PROXY: `http://user:${mark('proxy')}@127.0.0.1:1`,
  OPENAI_API_KEY: mark('openaikey'),
  AWS_SECRET_ACCESS_KEY: mark('awssecret'),
  PGPASSWORD: mark('pgpassword'),
  SOME_TOKEN: mark('sometoken'),
}

/** Bodies for addresses that need one to answer with more than an error. */
const bodies: Readonly<Record<string, object>> = {
  'POST /admin/v1/explain': { model: 'fast' },
  'POST /admin/v1/providers/{id}/test': { model: 'ok' },
  'POST /admin/v1/routes/plan': {
    models: {
      fast: { targets: [{ target: 'quoting/ok' }], fallback: ['several/ok'] },
      added: 'several/ok',
    },
  },
  'POST /admin/v1/provider-settings/plan': {
    providers: {
      added: {
        type: 'openai',
        baseUrl: `http://user:${mark('storedurl')}@127.0.0.1:1/v1`,
        key: mark('storedkey'),
        headers: headers('storedheader'),
      },
    },
  },
}
const roles = ['owner', 'operator', 'viewer', 'team'] as const
/** Subscriptions do not end. */
const read = addresses.filter(({ path }) => !path.endsWith('/live'))

describe('a gateway with a secret in every setting', () => {
  const stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(temporaryFolder())
  const keys = new Map<string, string>([
    ['owner', adminKey],
    ['caller', 'key'],
  ])
  let upstream: FakeUpstream
  let gateway: ServerProcess

  beforeAll(async () => {
    upstream = stack.use(
      await fakeUpstream(({ headers, path }, response) => {
        const message = `You sent ${JSON.stringify(headers)} to ${path}`
        json(response, { error: { message, code: headers['x-own'] ?? 'none' } }, { status: 400 })
      }),
    )
    writeFileSync(join(folder, 'sluice.yaml'), stringify(settingsAt(upstream.url)))
    const env = { PATH: process.env['PATH'] ?? '', ...variables }
    gateway = stack.use(await startServer(process.execPath, [main, 'serve'], { folder, env }))
    const team = (await made('/admin/v1/teams', { name: 'search' })) as { id: string }
    for (const adminRole of roles.slice(1)) {
      const owned = adminRole === 'team' ? { ownerId: team.id } : {}
      const asked = { name: adminRole, role: 'administrator', adminRole, ...owned }
      keys.set(adminRole, ((await made('/admin/v1/keys', asked)) as { secret: string }).secret)
    }
    // Everything that can be seen of a call, with an upstream that quotes what it received.
    for (const model of [
      'quoting/ok',
      'several/ok',
      'with-account/ok',
      'proxied/ok',
      'fast',
      'openai/gpt-5',
    ])
      await ask('caller', 'POST', '/v1/chat/completions', {
        model,
        messages: [{ role: 'user', content: 'Hi' }],
      })
  })
  afterAll(() => stack.disposeAsync())

  async function made(path: string, body: object): Promise<unknown> {
    const response = await ask('owner', 'POST', path, body)
    expect(response.status).toBe(200)
    return response.json()
  }

  function ask(role: string, method: string, path: string, body?: object): Promise<Response> {
    return fetch(gateway.address + path, {
      method,
      headers: {
        authorization: `Bearer ${keys.get(role)}`,
        'content-type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  }

  async function expectUnmarked(response: Response): Promise<void> {
    const text = await response.text()
    const all = [...response.headers.values(), text, decodeURIComponentIfPossible(text)].join('\n')
    expect(isMarked.exec(all)?.[0]).toBeUndefined()
    expect(all).not.toContain(webhookSecret)
  }

  test('sends the secrets to the upstream', () => {
    expect(upstream.seen.some(({ headers }) => isMarked.test(headers['x-own'] ?? ''))).toBe(true)
  })

  test.each(read)('shows no secret to any role: $method $path', async ({ method, path }) => {
    const ids = ['quoting', 'with-account', 'cloud', 'fast']
    const body = method === 'GET' ? undefined : (bodies[`${method} ${path}`] ?? {})
    for (const id of path.includes('{') ? ids : [''])
      for (const role of [...roles, 'caller'])
        await expectUnmarked(await ask(role, method, path.replace(/\{\w+\}/g, id), body))
  })

  test('shows no secret in requests and attempts', async () => {
    const response = await ask('viewer', 'GET', '/admin/v1/requests')
    const { data } = (await response.json()) as { data: readonly { id: string }[] }
    expect(data.length).toBeGreaterThan(3)
    for (const { id } of data)
      await expectUnmarked(await ask('viewer', 'GET', `/admin/v1/requests/${id}`))
  })

  test('shows in the settings that secrets are set', async () => {
    const response = await ask('viewer', 'GET', '/admin/v1/settings')
    const { data } = (await response.json()) as {
      data: readonly { path: string; value: unknown; isHidden: boolean }[]
    }
    const of = (path: string) => data.find((row) => row.path === path)
    expect(of('configText')).toBeUndefined()
    for (const path of ['providers.quoting.key', 'console.oidc.clientSecret', 'adminKey'])
      expect(of(path)).toMatchObject({ value: '••••••', isHidden: true })
    const { host } = new URL(upstream.url)
    expect(of('providers.with-account.baseUrl')).toMatchObject({
      value: `http://••••••@${host}/v1?••••••`,
      isHidden: false,
    })
    expect(of('providers.quoting.baseUrl')).toMatchObject({ value: `${upstream.url}/v1` })
  })

  test('prints no secret in its log or commands', async () => {
    expect(gateway.output()).toContain('upstream')
    expect(isMarked.exec(gateway.output())?.[0]).toBeUndefined()
    for (const command of [['check'], ['check', '--json'], ['audit', 'verify'], ['requests']]) {
      const env = { ...variables, SLUICE_URL: gateway.address, SLUICE_KEY: adminKey }
      const { stdout, stderr } = await runSluice(command, { folder, variables: env })
      expect(isMarked.exec(stdout + stderr)?.[0]).toBeUndefined()
    }
  })

  test.each(['csv', 'jsonl'])('exports no secret as %s', async (format) => {
    for (const role of roles)
      for (const path of [
        '/v1/usage',
        '/admin/v1/usage',
        '/admin/v1/requests',
        '/admin/v1/contents',
      ])
        await expectUnmarked(await ask(role, 'GET', `${path}?format=${format}`))
  })

  test('sends no secret in traces and webhooks', async () => {
    const sent = () => upstream.seen.filter(({ text }) => text !== '' && !isChat(text))
    const traces = () => sent().filter(({ path }) => path.includes('token='))
    const hooks = () => sent().filter(({ path }) => path.startsWith('/hooks/'))
    await expect.poll(() => traces().length, { timeout: 15_000 }).toBeGreaterThan(0)
    await expect.poll(() => hooks().length, { timeout: 15_000 }).toBeGreaterThan(0)
    for (const { text } of sent()) {
      expect(isMarked.exec(text)?.[0]).toBeUndefined()
      expect(text).not.toContain(webhookSecret)
    }
  })

  test('shows no secret in metrics', async () => {
    await expectUnmarked(await ask('owner', 'GET', '/metrics'))
  })
})

/** What the gateway asks a model. */
function isChat(text: string): boolean {
  return text.startsWith('{') && text.includes('"messages"')
}

function decodeURIComponentIfPossible(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
