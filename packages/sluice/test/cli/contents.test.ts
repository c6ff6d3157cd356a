import { expect, test } from 'vitest'
import { asked, granted } from '../../../../test/support/administrate.ts'
import { fakeUpstream } from '../../../../test/support/fakes/fake-upstream.ts'
import { at, good } from '../../../../test/support/routes.ts'
import { adminKey, type Started, start, until } from '../../../../test/support/start.ts'
import { eraseContents, exportContents } from '../../src/cli/contents.ts'
import { readEnvironment } from '../../src/config/env.ts'

const environmentOf = ({ dataFolder }: Started) =>
  readEnvironment({ SLUICE_ADMIN_KEY: adminKey, SLUICE_DATA: dataFolder })

test('exports stored contents and erases those of one user', async () => {
  await using first = await fakeUpstream(good)
  await using gateway = await start(at({ first }))
  const { url } = gateway
  const environment = environmentOf(gateway)
  const users = await Promise.all(
    ['ada', 'eve'].map(async (name) => {
      const user = await granted(gateway, 'POST /admin/v1/users', { name, contentLogging: true })
      const key = await granted(gateway, 'POST /admin/v1/keys', { name, ownerId: user.id })
      return { id: user.id, name, secret: key.secret }
    }),
  )
  const [ada, eve] = users
  for (const { name, secret } of users)
    for (let call = 0; call < 3; call += 1)
      await gateway.post(
        '/v1/chat/completions',
        { model: 'first/a', messages: [{ role: 'user', content: `${name} asks` }] },
        { key: secret },
      )
  const exported = async (options: object = {}) => {
    const lines: string[] = []
    await exportContents(environment, { url, ...options }, (line) => void lines.push(line))
    return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  }
  const all = await until(async () => {
    const found = await exported()
    return found.length === 6 && found
  })
  expect(all[0]).toMatchObject({ operation: 'chat', request: expect.stringContaining(' asks') })
  const own = await exported({ user: ada?.id })
  expect(own.map(({ request }) => String(request).includes('ada asks'))).toEqual([true, true, true])
  expect(await exported({ user: ada?.id, to: '2020-01-01' })).toEqual([])

  const said = await eraseContents(environment, { url, user: ada?.id ?? '' })
  expect(said).toBe(
    `Removed the prompts and responses of 3 requests, and 0 stored responses and conversations, of ${ada?.id}.`,
  )
  expect((await exported()).map(({ userId }) => userId)).toEqual([eve?.id, eve?.id, eve?.id])
  // What was used stays, and whose it was.
  const { body } = await asked(gateway, `GET /admin/v1/requests?user=${ada?.id}`)
  expect(body.data).toHaveLength(3)
  const audit = await granted(gateway, 'GET /admin/v1/audit?limit=5')
  const entry = audit.data.find(({ action }) => action === 'content.erase')
  expect(entry).toMatchObject({ target: 'user', after: { contents: 3, stored: 0 } })
  expect(JSON.stringify(entry)).not.toContain(ada?.id)
})

test('erasing requires a user or a key', async () => {
  await using gateway = await start()
  const { url } = gateway
  await expect(eraseContents(environmentOf(gateway), { url })).rejects.toThrow('--user or --key')
  for (const body of [{}, { user: 'a', key: 'b' }, { team: 'a' }]) {
    const { status } = await asked(gateway, 'POST /admin/v1/contents/erase', body)
    expect(status, JSON.stringify(body)).toBe(400)
  }
  await expect(
    exportContents(environmentOf(gateway), { url, from: 'odd' }, () => {}),
  ).rejects.toThrow("'from'")
})
