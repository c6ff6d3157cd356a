import { createHook } from 'node:async_hooks'
import { type Profiler, Session } from 'node:inspector/promises'

// A process of its own: the gateway as `sluice serve` runs it, from the sources. For each message it answers with what has run
// since the last one.

/** What ran between two messages. */
export interface Ran {
  /** The names of the functions of our sources that ran, as `contract/src/core/errors.ts toJSON:120`, the last being an offset. */
  readonly functions: readonly string[]
  /** How many promises were created. */
  readonly promises: number
}

const packages = new URL('../../packages/', import.meta.url).href

let promises = 0
createHook({
  init(_id, type) {
    if (type === 'PROMISE') promises += 1
  },
}).enable()

const session = new Session()
session.connect()
await session.post('Profiler.enable')
// With counts no call is inlined and thereby missed. Before the sources are loaded, so that each function has a counter.
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

const { run } = await import('../../packages/sluice/src/cli/run.ts')

process.on('message', () => {
  const counted = promises
  void session.post('Profiler.takePreciseCoverage').then(({ result }) => {
    const ran: Ran = { functions: functionsOf(result), promises: counted }
    process.send?.(ran, () => {
      promises = 0
    })
  })
})
process.exitCode = await run(['serve'])

function functionsOf(scripts: readonly Profiler.ScriptCoverage[]): readonly string[] {
  return scripts
    .filter(({ url }) => url.startsWith(packages))
    .flatMap(({ url, functions }) =>
      functions
        .filter(({ ranges: [all] }) => all !== undefined && all.count > 0)
        .map(({ functionName, ranges: [all] }) => {
          const name = functionName === '' ? '(anonymous)' : functionName
          return `${url.slice(packages.length)} ${name}:${all?.startOffset}`
        }),
    )
}
