import { expect, test } from 'vitest'
import { googleAccess } from '../../src/providers/google-access.ts'
import { providers } from '../../src/providers/index.ts'

const request = {
  method: 'POST',
  url: 'https://aiplatform.googleapis.com/',
  headers: {},
  body: undefined,
}

test('an access token travels as it is', async () => {
  expect(await googleAccess('ya29.token', request, {})).toEqual({
    authorization: 'Bearer ya29.token',
  })
})

test('a service account that is none is our trouble, not the caller’s', async () => {
  const secret = JSON.stringify({
    type: 'service_account',
    client_email: 'a@b',
    private_key: 'none',
  })
  await expect(googleAccess(secret, request, {})).rejects.toMatchObject({
    code: 'upstream_refused_us',
  })
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
])('the secret from %j', (variables, secret) => {
  expect(providers.get('google-vertex')!.secretFrom?.(variables)).toBe(secret)
})
