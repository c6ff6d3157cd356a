import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { discover, type LocalServer } from '../../src/cli/discover.ts'
import { readEnvironment } from '../../src/config/env.ts'

const opened: { close(): void }[] = []
afterEach(() => {
  for (const server of opened.splice(0)) server.close()
})

/** A model server of the given kind on a free port. */
async function fakeServer(
  kind: Omit<LocalServer, 'port'>,
  answers: Readonly<Record<string, unknown>>,
): Promise<LocalServer> {
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? '']
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  })
  opened.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { ...kind, port: (server.address() as AddressInfo).port }
}

const ollama = { id: 'ollama', name: 'Ollama', sign: { path: '/api/version', field: 'version' } }
const list = { object: 'list', data: [{ id: 'qwen3:8b' }, { id: 'gemma3' }, { x: 1 }] }

test('finds, prints and writes a model server once', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'sluice.yaml')
  const environment = readEnvironment({ SLUICE_CONFIG: file })
  const server = await fakeServer(ollama, {
    '/api/version': { version: '0.9' },
    '/v1/models': list,
  })
  const baseUrl = `http://127.0.0.1:${server.port}/v1`

  const said = await discover(environment, {}, [server])
  expect(said).toContain(`Ollama at ${baseUrl}: qwen3:8b, gemma3`)
  expect(said).toContain(`providers:\n  ollama:\n    baseUrl: ${baseUrl}\n`)

  expect(await discover(environment, { write: true }, [server])).toContain(
    `Added to ${file}: ollama`,
  )
  const written = readFileSync(file, 'utf8')
  expect(written).toBe(`providers:\n  ollama:\n    baseUrl: ${baseUrl}\n`)
  expect(await discover(environment, { write: true }, [server])).toContain('already')
  expect(readFileSync(file, 'utf8')).toBe(written)
})

test('ignores other servers on the port', async () => {
  using folder = temporaryFolder()
  const environment = readEnvironment({ SLUICE_CONFIG: join(folder.path, 'sluice.yaml'), A: '' })
  const strangers = await Promise.all([
    fakeServer(ollama, { '/v1/models': list }),
    fakeServer(ollama, { '/api/version': 'not JSON' }),
    fakeServer(ollama, { '/api/version': ['version'] }),
    fakeServer(ollama, { '/api/version': 'null' }),
  ])
  expect(await discover(environment, {}, [...strangers, { ...ollama, port: 1 }])).toMatch(
    /^No model server answers on this machine/,
  )
})

test('finds a server without a list of models', async () => {
  using folder = temporaryFolder()
  const environment = readEnvironment({ SLUICE_CONFIG: join(folder.path, 'sluice.yaml') })
  const server = await fakeServer(ollama, { '/api/version': { version: '0.9' }, '/v1/models': {} })
  expect(await discover(environment, {}, [server])).toContain('/v1: no models yet')
})
