import { expect, test, vi } from 'vitest'
import { ensureBundle } from '../../../../build/checkout.cjs'
import {
  type ServerProcess,
  startServer,
} from '../../../../test/support/gateways/server-process.ts'
import { npmEnvironment, root } from '../../../../test/support/npm.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'

/** What `npm start` promises to whoever started it: when npm is told to end, the gateway ends, and the port is free. */

const soon = { timeout: 15_000, interval: 50 }

ensureBundle()

async function npmStart(folder: string): Promise<ServerProcess> {
  return startServer('npm', ['--prefix', root, 'start'], { folder, env: npmEnvironment() })
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s to npm shuts the gateway down cleanly',
  async (signal) => {
    using folder = temporaryFolder()
    await using server = await npmStart(folder.path)
    server.child.kill(signal)
    expect(await server.ended).toEqual({ code: 0, signal: null })
    expect(server.output()).toContain('"msg":"stopping"')
    expect(await server.isPortFree()).toBe(true)
  },
)

test('the gateway shuts down cleanly when npm is killed', async () => {
  using folder = temporaryFolder()
  await using server = await npmStart(folder.path)
  server.child.kill('SIGKILL')
  await vi.waitFor(async () => expect(await server.isPortFree()).toBe(true), soon)
  expect((await server.ended).signal).toBe('SIGKILL')
  expect(server.output()).toContain('"msg":"stopping"')
})
