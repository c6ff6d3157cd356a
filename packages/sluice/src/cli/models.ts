import { randomBytes } from 'node:crypto'
import { callerOf } from '@sluice/gateway/accounts/callers.ts'
import { loadConfig } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import { Network } from '@sluice/gateway/dial/network.ts'
import { createSender } from '@sluice/gateway/upstream/send.ts'
import type { JsonOption } from './command.ts'
import { routingOf } from './open-gateway.ts'
import { formatTable } from './table.ts'

/** A caller without restrictions. */
const anyone = callerOf({
  id: 'command line',
  name: 'command line',
  hash: '',
  role: 'administrator',
  prefix: '',
  createdAt: 0,
})

/** Lists all model names that can be called with this configuration. Asks providers for their model lists. */
export async function listModels(
  environment: Environment,
  { json = false }: JsonOption,
): Promise<string> {
  const config = await loadConfig(environment)
  await using network = new Network(config.proxies)
  const notes: string[] = []
  const routing = await routingOf(config, {
    send: createSender(network),
    fetchThrough: network.fetchThrough.bind(network),
    now: Date.now,
    newId: (prefix) => `${prefix}_${randomBytes(8).toString('hex')}`,
    log: { warn: (_fields, message) => notes.push(message) },
  })
  const models = await routing.list(anyone)
  if (json) return JSON.stringify(models, null, 2)
  const rows = models.map(({ id, ownedBy, inputTokenLimit, outputTokenLimit, operations }) => [
    id,
    ownedBy,
    inputTokenLimit?.toString() ?? '?',
    outputTokenLimit?.toString() ?? '?',
    operations.join(', '),
  ])
  const table = formatTable(['MODEL', 'FROM', 'INPUT', 'OUTPUT', 'OPERATIONS'], rows)
  return [table, ...notes].join('\n')
}
