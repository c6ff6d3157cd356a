import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createConfig } from '../config/config.ts'
import { readEnvironment } from '../config/env.ts'
import { createSecret } from '../storage/secrets.ts'
import { askServer } from './ask-server.ts'
import { openData } from './open-data.ts'
import { openGateway } from './open-gateway.ts'
import { startMessage } from './start-message.ts'

/** Modules that do something when they are loaded: the entry, and the code of worker threads. */
const entries = new Set(['engine/workers/worker.ts'])

/**
 * Does what a first start and a first call do, in a folder that is removed again, and then loads every other module:
 * Node keeps what it compiled meanwhile for the real first start. Run when the project is installed; without it the
 * first start, and it alone, takes a second longer.
 */
export async function compileAhead(): Promise<string> {
  await import('./serve.ts')
  await startOnce()
  const root = fileURLToPath(new URL('../../../../src/', import.meta.url))
  const files = globSync('**/*.ts', { cwd: root }).filter(
    (file) => !entries.has(file) && !file.endsWith('.test.ts'),
  )
  let compiled = 0
  for (const file of files) {
    try {
      await import(new URL(`../../../../src/${file}`, import.meta.url).href)
      compiled++
    } catch {
      // A part that this machine cannot load is told of when somebody needs it.
    }
  }
  flushCompileCache()
  return `${compiled} of ${files.length} modules are compiled.`
}

async function startOnce(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-compile-'))
  const secret = createSecret()
  const variables = { SLUICE_PORT: '0', SLUICE_DATA: folder, SLUICE_API_KEYS: secret }
  const config = createConfig(readEnvironment(variables), {}, join(folder, 'sluice.yaml'))
  const log = { info() {}, warn() {}, error() {} }
  try {
    await using store = await openData(config)
    await using opened = await openGateway({ config, store, log })
    const address = await opened.server.listen({ host: config.server.host, port: 0 })
    startMessage({
      version: '',
      host: config.server.host,
      port: 0,
      readyMs: 0,
      made: {},
      dataFolder: folder,
      hasApiKeys: true,
      models: opened.gateway.routing().builtinModels,
      providers: [],
    })
    await askServer(`${address}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'builtin-chat', messages: [{ role: 'user', content: 'Hi' }] }),
      timeoutMs: 10_000,
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
