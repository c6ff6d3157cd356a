import { gaxios, JWT } from 'google-auth-library'
import { expect, test, vi } from 'vitest'
import { googleAccess } from '../../src/providers/google-access.ts'
import { providers } from '../../src/providers/index.ts'

const request = {
  method: 'POST',
  url: 'https://aiplatform.googleapis.com/',
  headers: {},
  body: undefined,
}

test('sends an access token as it is', async () => {
  expect(await googleAccess('ya29.token', request, {}, fetch)).toEqual({
    authorization: 'Bearer ya29.token',
  })
})

test('an invalid service account is an upstream authentication error', async () => {
  const secret = JSON.stringify({
    type: 'service_account',
    client_email: 'a@b',
    private_key: 'none',
  })
  await expect(googleAccess(secret, request, {}, fetch)).rejects.toMatchObject({
    code: 'upstream_refused_us',
  })
})

test.each([
  [
    'a user',
    {
      type: 'authorized_user',
      client_id: 'client',
      client_secret: 'its secret',
      refresh_token: 'refresh',
    },
    'https://oauth2.googleapis.com/token',
  ],
  [
    'a workload',
    {
      type: 'external_account',
      audience:
        '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: 'https://sts.googleapis.com/v1/token',
      // Any file does.
      credential_source: { file: import.meta.filename },
    },
    'https://sts.googleapis.com/v1/token',
  ],
])('asks for the token of %s over the connections of the provider', async (_, file, url) => {
  const asked: string[] = []
  const connections: typeof fetch = async (input) => {
    asked.push(input instanceof Request ? input.url : String(input))
    return Response.json({ access_token: 'ya29.given', token_type: 'Bearer', expires_in: 3600 })
  }
  expect(await googleAccess(JSON.stringify(file), request, {}, connections)).toEqual({
    authorization: 'Bearer ya29.given',
  })
  expect(asked).toEqual([url])
})

test.each([
  [400, 'upstream_refused_us'],
  [401, 'upstream_refused_us'],
  [429, 'upstream_unavailable'],
  [503, 'upstream_unavailable'],
  [undefined, 'upstream_unavailable'],
])('maps the token endpoint’s answer %s to %s', async (status, code) => {
  const answer = async () => {
    if (status === undefined) throw new TypeError('fetch failed')
    return Response.json({ error: 'said so' }, { status })
  }
  const library = new gaxios.Gaxios({ fetchImplementation: answer, retry: false })
  const failure = await library
    .request({ url: 'https://oauth2.googleapis.com/token' })
    .catch((thrown: unknown) => thrown)
  const asking = vi.spyOn(JWT.prototype, 'getAccessToken').mockImplementation(() => {
    throw failure
  })
  const secret = JSON.stringify({ client_email: 'a@b', private_key: `key for ${status}` })
  try {
    await expect(googleAccess(secret, request, {}, fetch)).rejects.toMatchObject({ code })
  } finally {
    asking.mockRestore()
  }
})

test.each([
  [{}, undefined],
  [{ GOOGLE_APPLICATION_CREDENTIALS: '/key.json' }, undefined],
  [
    { GOOGLE_APPLICATION_CREDENTIALS: '/key.json', GOOGLE_CLOUD_PROJECT: 'p' },
    'application-default',
  ],
  [
    {
      GOOGLE_VERTEX_CREDENTIALS: '{}',
      GOOGLE_APPLICATION_CREDENTIALS: '/key.json',
      GOOGLE_CLOUD_PROJECT: 'p',
    },
    '{}',
  ],
])('reads the secret from %j', (variables, secret) => {
  expect(providers.get('google-vertex')!.secretFrom?.(variables)).toBe(secret)
})
