// Identities of Google beside service accounts: tokens are exchanged where a credential file says, of which a gateway may have
// several. No other server is asked.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { answerContent } from '../../support/fakes/gemini-wire.ts'
import { start } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const folder = temporaryFolder()
const servers: FakeUpstream[] = []
/** Gives tokens as Google's servers do: `token-of-…` for whatever is shown. */
let tokens: FakeUpstream
let upstream: FakeUpstream

beforeAll(async () => {
  tokens = await fakeUpstream(({ path, text, headers }, response) => {
    const form = new URLSearchParams(text)
    const shown =
      form.get('subject_token') ??
      form.get('refresh_token') ??
      headers['authorization']?.replace('Bearer ', '')
    const token = `token-of-${shown}`
    return path.endsWith(':generateAccessToken')
      ? json(response, { accessToken: token, expireTime: '2099-01-01T00:00:00Z' })
      : json(response, { access_token: token, token_type: 'Bearer', expires_in: 3600 })
  })
  upstream = await fakeUpstream((seen, response) => answerContent(seen, response, [{ text: 'Hi' }]))
  servers.push(tokens, upstream)
})
afterEach(() => vi.unstubAllEnvs())
afterAll(async () => {
  for (const server of servers) await server[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

function written(name: string, content: string): string {
  const file = join(folder.path, name)
  writeFileSync(file, content)
  return file
}

const impersonation = (account: string): string =>
  `${tokens.url}/v1/projects/-/serviceAccounts/${account}@p.iam.gserviceaccount.com:generateAccessToken`

/** The file of a workload whose own token is in a file. */
function workload(name: string, further: object = {}): object {
  return {
    type: 'external_account',
    audience: `//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/${name}`,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `${tokens.url}/v1/token`,
    credential_source: { file: written(name, `workload-${name}`) },
    ...further,
  }
}

interface Asked {
  /** What the model's server got as the authorization of a call to each provider, or the status that the caller got. */
  readonly authorizations: readonly (string | undefined)[]
  /** The paths at the server of tokens. */
  readonly paths: readonly string[]
}

async function askEach(keys: Readonly<Record<string, string | object>>): Promise<Asked> {
  const providers = Object.entries(keys).map(([id, given]) => {
    const key = typeof given === 'string' ? given : JSON.stringify(given)
    return [
      id,
      { type: 'vertex' as const, project: 'team-project', baseUrl: upstream.url, key },
    ] as const
  })
  await using gateway = await start({
    providers: Object.fromEntries(providers),
    defaults: { retries: { attempts: 1 } },
  })
  const before = tokens.seen.length
  const authorizations: (string | undefined)[] = []
  for (const [id] of providers) {
    const { status } = await gateway.post('/v1/chat/completions', {
      model: `${id}/gemini-2.5-flash`,
      messages: [{ role: 'user', content: 'Hi' }],
    })
    authorizations.push(
      status === 200 ? upstream.seen.at(-1)?.headers['authorization'] : String(status),
    )
  }
  return { authorizations, paths: tokens.seen.slice(before).map(({ path }) => path) }
}

test('two workloads in one gateway each have their own token', async () => {
  expect(await askEach({ one: workload('one'), two: workload('two') })).toEqual({
    authorizations: ['Bearer token-of-workload-one', 'Bearer token-of-workload-two'],
    paths: ['/v1/token', '/v1/token'],
  })
})

test('a workload can act as a service account', async () => {
  const key = workload('three', { service_account_impersonation_url: impersonation('a') })
  const { authorizations } = await askEach({ one: key })
  expect(authorizations).toEqual(['Bearer token-of-token-of-workload-three'])
})

test('a file of an impersonated service account is a key', async () => {
  const key = {
    type: 'impersonated_service_account',
    service_account_impersonation_url: impersonation('b'),
    source_credentials: workload('four'),
  }
  const { authorizations } = await askEach({ one: key })
  expect(authorizations).toEqual(['Bearer token-of-token-of-workload-four'])
})

test('a user signed in through a workforce pool is a key', async () => {
  const key = {
    type: 'external_account_authorized_user',
    audience: '//iam.googleapis.com/locations/global/workforcePools/p/providers/q',
    client_id: 'client',
    client_secret: 'secret-of-the-client',
    refresh_token: 'refresh-1',
    token_url: `${tokens.url}/v1/oauthtoken`,
  }
  const { authorizations } = await askEach({ one: key })
  expect(authorizations).toEqual(['Bearer token-of-refresh-1'])
})

test('application-default with a workload asks nobody for the project in the settings', async () => {
  vi.stubEnv(
    'GOOGLE_APPLICATION_CREDENTIALS',
    written(
      'default.json',
      JSON.stringify(
        workload('five', { cloud_resource_manager_url: `${tokens.url}/v1/projects/` }),
      ),
    ),
  )
  vi.stubEnv('GOOGLE_CLOUD_PROJECT', undefined)
  expect(await askEach({ one: 'application-default' })).toEqual({
    authorizations: ['Bearer token-of-workload-five'],
    paths: ['/v1/token'],
  })
})

test('a program in a file is not run', async () => {
  vi.stubEnv('GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES', undefined)
  const trace = join(folder.path, 'trace')
  const source = { executable: { command: `touch ${trace}`, timeout_millis: 5_000 } }
  const asked = await askEach({ one: workload('six', { credential_source: source }) })
  expect(asked).toEqual({ authorizations: ['502'], paths: [] })
  expect(existsSync(trace)).toBe(false)
})

test('a file of an unknown kind is refused', async () => {
  expect(await askEach({ one: { type: 'unknown' } })).toEqual({
    authorizations: ['502'],
    paths: [],
  })
})
