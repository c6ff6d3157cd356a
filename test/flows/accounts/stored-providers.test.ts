// Providers that owners add while the gateway runs: encrypted in the database, audited without secrets, the same on all replicas.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asked, granted } from '../../support/administrate.ts'
import { type FakeUpstream, fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { ask, good } from '../../support/routes.ts'
import { runSluice } from '../../support/run-sluice.ts'
import { adminKey, type Started, start } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const address = '/admin/v1/provider-settings'
const firstKey = 'first-encryption-key-0123456789abcdef'
const secondKey = 'second-encryption-key-0123456789abcdef'
const variables = { SLUICE_ENCRYPTION_KEY: firstKey }
const secret = 'sk-of-acme-0123456789'
const headerSecret = 'account-of-acme-0123456789'

const acmeAt = ({ url }: FakeUpstream) => ({
  type: 'openai',
  baseUrl: url,
  key: secret,
  headers: { 'x-account': headerSecret },
  maxConcurrent: 4,
})

/** Applies changes of providers. */
async function change(gateway: Started, providers: object) {
  const { etag } = await granted(gateway, `GET ${address}`)
  return granted(gateway, `PUT ${address}`, { providers, etag })
}

const chat = (gateway: Started, model = 'acme/a') =>
  gateway.post('/v1/chat/completions', { model, ...ask })

test('adds a provider, which is called with its key, and shows its secrets nowhere', async () => {
  await using upstream = await fakeUpstream(good)
  using folder = temporaryFolder()
  await using gateway = await start({}, { variables, dataFolder: folder.path })
  const providers = { acme: acmeAt(upstream) }
  const plan = await granted(gateway, `POST ${address}/plan`, { providers })
  expect(plan).toMatchObject({ changes: [{ provider: 'acme', change: 'added', before: null }] })
  expect(plan['yaml']).toContain('key: ${ACME_KEY}\n')
  expect(plan['yaml']).toContain('x-account: ${ACME_HEADERS_X_ACCOUNT}\n')
  expect((await chat(gateway)).status).toBe(404)

  const applied = await change(gateway, providers)
  expect((await chat(gateway)).status).toBe(200)
  expect(upstream.seen[0]?.headers).toMatchObject({
    authorization: `Bearer ${secret}`,
    'x-account': headerSecret,
  })
  const shown = await granted(gateway, `GET ${address}`)
  expect(shown).toMatchObject({
    providers: { acme: { type: 'openai', baseUrl: upstream.url, maxConcurrent: 4 } },
    isSealing: true,
  })
  const audit = await granted(gateway, 'GET /admin/v1/audit')
  expect(audit.data[0]).toMatchObject({ action: 'providers.change', before: { acme: null } })
  const said = [plan, applied, shown, audit]
  for (const path of ['settings', 'providers', 'routes'])
    said.push(await granted(gateway, `GET /admin/v1/${path}`))
  const rotated = await change(gateway, { acme: { key: 'sk-rotated-0123456789' } })
  expect(rotated).toMatchObject({ changes: [{ after: { key: expect.stringContaining('new') } }] })
  expect((await chat(gateway)).status).toBe(200)
  expect(upstream.seen.at(-1)?.headers['authorization']).toBe('Bearer sk-rotated-0123456789')
  const written = filesIn(folder.path).map((file) => readFileSync(file, 'latin1'))
  for (const text of [JSON.stringify([...said, rotated, gateway.logged]), ...written])
    for (const hidden of [secret, headerSecret, 'sk-rotated-0123456789', firstKey])
      expect(text).not.toContain(hidden)
})

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

test('demands the key and the headers again when a field changes where they are sent', async () => {
  await using upstream = await fakeUpstream(good)
  await using other = await fakeUpstream(good)
  await using gateway = await start({}, { variables })
  const { headers: _headers, ...plain } = acmeAt(upstream)
  await change(gateway, { acme: plain })
  for (const [field, value] of [
    ['baseUrl', other.url],
    ['proxy', other.url],
    ['headers', { 'x-forwarded': 'a' }],
    ['kind', 'openai'],
    ['region', 'elsewhere'],
    ['ca', null],
  ] as const) {
    const body = { providers: { acme: { [field]: value } } }
    const response = await asked(gateway, `POST ${address}/plan`, body)
    // What is not there and stays away changes nothing.
    if (value === null) expect(response.body).toMatchObject({ changes: [] })
    else expect([response.status, response.body.error.param]).toEqual([400, 'providers.acme.key'])
  }
  await change(gateway, { acme: { maxConcurrent: null, timeouts: { totalMs: 9000 } } })
  expect((await chat(gateway)).status).toBe(200)
  expect(upstream.seen.at(-1)?.headers['authorization']).toBe(`Bearer ${secret}`)

  await change(gateway, { acme: { headers: { 'x-account': headerSecret }, key: secret } })
  const moved = { acme: { baseUrl: other.url, key: 'sk-other-0123456789' } }
  const refused = await asked(gateway, `POST ${address}/plan`, { providers: moved })
  expect([refused.status, refused.body.error.param]).toEqual([400, 'providers.acme.headers'])
  await change(gateway, { acme: { ...moved.acme, headers: null } })
  expect((await chat(gateway)).status).toBe(200)
  expect(other.seen[0]?.headers).toMatchObject({ authorization: 'Bearer sk-other-0123456789' })
  expect(other.seen[0]?.headers['x-account']).toBeUndefined()
})

test('reads neither the environment nor files nor the identity of the machine', async () => {
  await using upstream = await fakeUpstream(good)
  const environment = { ...variables, OPENAI_API_KEY: 'sk-of-the-environment' }
  await using gateway = await start({}, { variables: environment })
  const problems = async (acme: object) => {
    const plan = await asked(gateway, `POST ${address}/plan`, { providers: { acme } })
    return plan.body['problems'] ?? plan.body.error.param
  }
  const file = 'providers.acme.ca'
  expect(await problems({ ...acmeAt(upstream), ca: '/etc/hostname' })).toBe(file)
  expect(await problems({ ...acmeAt(upstream), key: '${OPENAI_API_KEY}' })).toBe('providers.acme')
  expect(await problems({ type: 'ai-sdk', package: '@ai-sdk/mistral' })).toBe('providers.acme.type')
  for (const [kind, key] of [
    ['amazon-bedrock', 'default-chain'],
    ['google-vertex', 'application-default'],
    [
      'google-vertex',
      '{"type":"external_account","credential\\u005fsource":{"file":"/etc/hostname"}}',
    ],
  ])
    expect(await problems({ kind, key, baseUrl: upstream.url, project: 'p' })).toMatchObject([
      { problem: expect.stringContaining('identity of this machine') },
    ])
  // The key of the environment would be sent to any address.
  await change(gateway, { acme: { kind: 'openai', baseUrl: upstream.url } })
  await chat(gateway)
  expect(upstream.seen[0]?.headers['authorization']).toBeUndefined()
})

test('a provider that sluice.yaml or the environment declares is not changed', async () => {
  const environment = { ...variables, GROQ_API_KEY: 'gsk-0123456789abcdef' }
  const providers = { acme: { type: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } } as const
  await using gateway = await start({ providers }, { variables: environment })
  const read = await granted(gateway, `GET ${address}`)
  expect(read['declared']).toEqual(expect.arrayContaining(['acme', 'groq']))
  for (const name of ['acme', 'groq']) {
    const body = { providers: { [name]: { maxConcurrent: 2 } } }
    const refused = await asked(gateway, `POST ${address}/plan`, body)
    expect([refused.status, refused.body.error.param]).toEqual([409, `providers.${name}`])
  }
  const own = await granted(gateway, 'GET /admin/v1/providers')
  expect(own.data.find(({ id }) => id === 'acme')).toMatchObject({ configuredBy: 'sluice.yaml' })
})

test('nothing is stored without an encryption key', async () => {
  await using upstream = await fakeUpstream(good)
  await using gateway = await start({})
  const { etag, isSealing } = await granted(gateway, `GET ${address}`)
  expect(isSealing).toBe(false)
  const body = { providers: { acme: acmeAt(upstream) }, etag }
  const refused = await asked(gateway, `PUT ${address}`, body)
  expect(refused.status).toBe(409)
  expect(refused.body.error.message).toContain('SLUICE_ENCRYPTION_KEY')
})

test('without its key a provider is off and named, and is not overwritten', async () => {
  await using upstream = await fakeUpstream(good)
  using folder = temporaryFolder()
  const dataFolder = folder.path
  {
    await using gateway = await start({}, { dataFolder, variables })
    await change(gateway, { acme: acmeAt(upstream) })
  }
  for (const encryption of [{}, { SLUICE_ENCRYPTION_KEY: secondKey }]) {
    await using gateway = await start({}, { dataFolder, variables: encryption })
    expect((await chat(gateway)).status).toBe(404)
    const ready = await gateway.request('/readyz')
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: 'ready', lockedProviders: ['acme'] },
    ])
    expect(gateway.logged.map(({ fields }) => fields)).toContainEqual(
      expect.objectContaining({ setting: 'providers.acme' }),
    )
    const { data } = await granted(gateway, 'GET /admin/v1/providers')
    expect(data.find(({ id }) => id === 'acme')).toMatchObject({
      on: false,
      why: expect.stringContaining('SLUICE_ENCRYPTION_KEY'),
    })
    const { etag, providers } = await granted(gateway, `GET ${address}`)
    expect(providers).toEqual({ acme: null })
    const body = { providers: { acme: acmeAt(upstream) }, etag }
    expect((await asked(gateway, `PUT ${address}`, body)).status).toBe(409)
  }
  {
    await using gateway = await start({}, { dataFolder, variables })
    expect((await chat(gateway)).status).toBe(200)
    expect(await (await gateway.request('/readyz')).json()).toEqual({ status: 'ready' })
  }
  await using gateway = await start(
    {},
    { dataFolder, variables: { SLUICE_ENCRYPTION_KEY: secondKey } },
  )
  await change(gateway, { acme: null })
  expect((await granted(gateway, `GET ${address}`))['providers']).toEqual({})
})

test('the encryption key is replaced in steps', async () => {
  await using upstream = await fakeUpstream(good)
  using folder = temporaryFolder()
  const dataFolder = folder.path
  function keys(text: string) {
    return { dataFolder, variables: { SLUICE_ENCRYPTION_KEY: text } }
  }
  {
    await using gateway = await start({}, keys(firstKey))
    await change(gateway, { acme: acmeAt(upstream) })
  }
  {
    await using gateway = await start({}, keys(`${secondKey},${firstKey}`))
    expect((await chat(gateway)).status).toBe(200)
    const resealed = await granted(gateway, `POST ${address}/reseal`)
    expect(resealed['encrypted']).toBe(1)
    expect((await granted(gateway, `POST ${address}/reseal`))['encrypted']).toBe(0)
  }
  await using gateway = await start({}, keys(secondKey))
  expect((await chat(gateway)).status).toBe(200)
})

test('a replica has the provider within a second, and two writers do not lose a change', async () => {
  await using upstream = await fakeUpstream(good)
  using folder = temporaryFolder()
  const options = { dataFolder: folder.path, variables }
  await using one = await start({}, options)
  await using other = await start({}, options)
  const before = await granted(other, `GET ${address}`)
  await change(one, { acme: acmeAt(upstream) })
  await expect.poll(async () => (await chat(other)).status, { timeout: 10_000 }).toBe(200)
  const late = { providers: { acme: { maxConcurrent: 1 } }, etag: before['etag'] }
  expect((await asked(other, `PUT ${address}`, late)).body.error.param).toBe('etag')
  await change(other, { acme: { maxConcurrent: 1 } })
  await change(one, { acme: null })
  await expect.poll(async () => (await chat(other)).status, { timeout: 10_000 }).toBe(404)
})

test('the command line adds, tests, rotates and removes a provider', async () => {
  await using upstream = await fakeUpstream(good)
  using folder = temporaryFolder()
  const keyFile = join(folder.path, 'key')
  writeFileSync(keyFile, `${secret}\n`)
  await using gateway = await start({}, { variables })
  const run = (...args: readonly string[]) =>
    runSluice(['providers', ...args, '--url', gateway.url], {
      folder: folder.path,
      variables: { SLUICE_ADMIN_KEY: adminKey },
    })
  const given = ['--type', 'openai', '--base-url', upstream.url, '--key-file', keyFile] as const
  const dry = await run('set', 'acme', ...given, '--dry-run')
  expect([dry.exitCode, dry.stderr]).toEqual([0, 'Nothing was changed.\n'])
  expect(dry.stdout).not.toContain(secret)
  const set = await run('set', 'acme', ...given, '--set', 'timeouts={totalMs: 9000}')
  expect([set.stderr, set.exitCode]).toEqual(['Applied.\n', 0])
  expect((await run('list')).stdout).toMatch(/acme +on +database +1 +http/)
  const tested = await run('test', 'acme', '--model', 'a')
  expect([tested.exitCode, tested.stdout]).toEqual([0, expect.stringContaining('acme/a answered')])
  writeFileSync(keyFile, 'sk-rotated-0123456789')
  expect((await run('rotate', 'acme', '--key-file', keyFile)).exitCode).toBe(0)
  await chat(gateway)
  expect(upstream.seen.at(-1)?.headers['authorization']).toBe('Bearer sk-rotated-0123456789')
  expect((await run('remove', 'acme')).stdout).toBe('Removed acme.\n')
  expect((await run('remove', 'acme')).stderr).toContain('There is no provider acme')
})
