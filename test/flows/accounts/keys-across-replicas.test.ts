// A key that one replica has just created works at the others.
import { expect, test } from 'vitest'
import { createSecret } from '../../../packages/gateway/src/accounts/secrets.ts'
import { onEachDatabase } from '../../support/servers/databases.ts'
import { adminKey, type Started, start } from '../../support/start.ts'

onEachDatabase((newData) => {
  async function made(at: Started, body: object = { name: 'app' }): Promise<Shown> {
    const answer = await at.post('/admin/v1/keys', body, { key: adminKey })
    expect(answer.status).toBe(200)
    return (await answer.json()) as Shown
  }
  const status = async (at: Started, key: string) =>
    (await at.request('/v1/models', { key })).status

  test('works at another replica at once, also after a rotation, and signs in', async () => {
    await using data = await newData()
    await using here = await start({}, data.options)
    await using there = await start({}, data.options)
    for (let round = 0; round < 5; round += 1) {
      const { secret, id } = await made(here)
      const many = await Promise.all(Array.from({ length: 10 }, () => status(there, secret)))
      expect(new Set(many)).toEqual(new Set([200]))
      const rotated = await here.post(`/admin/v1/keys/${id}/rotate`, {}, { key: adminKey })
      const next = ((await rotated.json()) as Shown).secret
      expect(await status(there, next)).toBe(200)
    }
    const { secret } = await made(here, {
      name: 'viewer',
      role: 'administrator',
      adminRole: 'viewer',
    })
    const signedIn = await there.post(
      '/admin/v1/session',
      { key: secret },
      { key: null, headers: { 'x-sluice-console': '1' } },
    )
    expect(signedIn.status).toBe(200)
  })

  test('unknown secrets stay rejected', async () => {
    await using data = await newData()
    await using here = await start({}, data.options)
    const secrets = Array.from({ length: 60 }, createSecret)
    const refused = await Promise.all(secrets.map((secret) => status(here, secret)))
    expect(new Set(refused)).toEqual(new Set([401]))
  })
})

interface Shown {
  readonly id: string
  readonly secret: string
}
