import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { pingPostgres } from '../../src/postgres/ping-postgres.ts'

afterEach(() => vi.unstubAllEnvs())

/** Asks whoever connects for a password in clear text, and resolves with it. */
async function openAsking() {
  const { promise: given, resolve } = Promise.withResolvers<string>()
  const server = createServer((socket: Socket) => {
    let isStarted = false
    socket.on('data', (message) => {
      // AuthenticationCleartextPassword (https://www.postgresql.org/docs/current/protocol-message-formats.html).
      if (!isStarted) socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]))
      else {
        resolve(message.subarray(5, -1).toString('utf8'))
        socket.destroy()
      }
      isStarted = true
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { port, given, [Symbol.dispose]: () => void server.close() }
}

test.each([
  ['in PGPASSWORD, with any character', 'a/b@c:d%#?', '', 'a/b@c:d%#?'],
  ['in the URL, percent-encoded', '', ':a%2Fb%40c', 'a/b@c'],
  ['in both: that of the URL', 'other', ':mine', 'mine'],
])('the password is %s', async (_, variable, inUrl, wanted) => {
  vi.stubEnv('PGPASSWORD', variable)
  using server = await openAsking()
  const url = `postgres://sluice${inUrl}@127.0.0.1:${server.port}/sluice`
  await expect(pingPostgres(url, 2_000)).rejects.toThrow(/terminated|closed/i)
  expect(await server.given).toBe(wanted)
})
