// Every agent in front of every upstream: `--only TEXT` for a part, `--rest` for what has not finished at these versions yet,
// `--write` for docs/agents.md, `--record` for what they send.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../support/npm.ts'
import { agents, agentsOfPage } from './agents.ts'
import { cellName, formatDocument, type Verdicts } from './document.ts'
import { installAgents } from './install.ts'
import { record } from './record.ts'
import { installed } from './run-agent.ts'
import { type Result, runCell } from './run-cell.ts'
import { bareTarget, targets } from './targets.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    rest: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    alone: { type: 'boolean', default: false },
  },
})

/** Agents wait more than they compute. */
const atOnce = 4

/**
 * Where the system allows it, in a network namespace with nothing but loopback, else behind a proxy that does not exist; and in a
 * process namespace, which ends the servers that some agents leave behind.
 */
const namespaces = ['-rn', '--pid', '--fork', '--kill-child', '--mount-proc']
const inside = [...namespaces, 'sh', '-c', 'ip link set lo up && exec "$0" "$@"']

if (!values.alone) await installAgents()
if (!values.alone && spawnSync('unshare', [...inside, 'true']).status === 0) {
  const self = [process.execPath, import.meta.filename, ...process.argv.slice(2), '--alone']
  const { status } = spawnSync('unshare', [...inside, ...self], { stdio: 'inherit' })
  process.exit(status ?? 1)
}

const all = [
  ...agents.flatMap((agent) => targets.map((target) => ({ agent, target }))),
  ...agentsOfPage.map((agent) => ({ agent, target: bareTarget })),
]
const verdictsFile = join(installed, 'verdicts.json')
const kept: Record<string, readonly string[]> = existsSync(verdictsFile)
  ? (JSON.parse(readFileSync(verdictsFile, 'utf8')) as Record<string, readonly string[]>)
  : {}
const cells = all
  .filter(({ agent, target }) => `${agent.name}, ${target.name}`.includes(values.only))
  .filter(({ agent, target }) => !values.rest || kept[cellName(agent, target)]?.length !== 0)
const results: Result[] = []
const scripted = cells.filter(({ target }) => target.upstream !== undefined)
await Promise.all(Array.from({ length: atOnce }, () => run(scripted)))
// The engine computes on this machine, within limits of time.
await run(cells.filter(({ target }) => target.upstream === undefined))
if (values.write) writeFileSync(join(root, 'docs/agents.md'), formatDocument(verdictsOfNow()))
if (values.record) record(results)
process.exitCode = results.every(({ wrong }) => wrong.length === 0) ? 0 : 1

async function run(waiting: (typeof cells)[number][]): Promise<void> {
  for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
    const { agent, target } = cell
    const result = await runCell(agent, target)
    results.push(result)
    kept[cellName(agent, target)] = result.wrong
    writeFileSync(verdictsFile, JSON.stringify(kept))
    const { wrong, seconds, ran } = result
    const verdict = wrong.length === 0 ? 'yes' : 'no '
    console.log(`${verdict} ${agent.name}, ${target.name}: ${seconds.toFixed(1)} s`)
    for (const sentence of wrong) console.log(`    ${sentence.slice(0, 500)}`)
    if (wrong.length === 0) continue
    console.log(`${ran.stdout}\n${ran.stderr}`.slice(-1_000).replace(/^/gm, '    '))
  }
}

/** What came of all that was ever run at the versions of now; a part may be run by itself. */
function verdictsOfNow(): Verdicts {
  const names = all.map(({ agent, target }) => cellName(agent, target))
  return new Map(names.flatMap((name) => (kept[name] ? [[name, kept[name]] as const] : [])))
}
