// A gateway for measuring, everything on: keys, limits, usage records, one log line a request (to nowhere). Prints its
// port; on `cpu` it answers with the processor time it has used, in microseconds, and its memory in bytes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openGateway } from '../packages/sluice/src/cli/open-gateway.ts'
import { openLog } from '../packages/sluice/src/cli/open-log.ts'
import { createConfig } from '../packages/sluice/src/config/config.ts'
import { readEnvironment } from '../packages/sluice/src/config/env.ts'
import { openSqlite } from '../packages/sluice/src/storage/sqlite.ts'

const upstream = process.argv[2] ?? ''
const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
const environment = readEnvironment({ SLUICE_DATA: folder, SLUICE_API_KEYS: 'sk-bench0123456789' })
const config = createConfig(
  environment,
  {
    providers: { bench: { type: 'openai', baseUrl: upstream, key: 'k' } },
    limits: { requestsPerMinute: 1_000_000_000 },
    log: { level: 'info', file: '/dev/null' },
  },
  'sluice.yaml',
)
const store = openSqlite({ file: join(folder, 'sluice.db') })
const opened = await openGateway({ config, store, log: openLog(config.log) })
const address = await opened.server.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${new URL(address).port}\n`)

for await (const line of createInterface({ input: process.stdin })) {
  if (line !== 'cpu') break
  const { user, system } = process.cpuUsage()
  process.stdout.write(`${user + system} ${process.memoryUsage.rss()}\n`)
}
await opened[Symbol.asyncDispose]()
await store[Symbol.asyncDispose]()
rmSync(folder, { recursive: true, force: true })
