// The whole fault wall from the command line: `--only TEXT` for a part, `--some` for that of `npm test`, `--write` for the document.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { allTrials, someTrials } from './cells.ts'
import { formatDocument } from './document.ts'
import { runWall } from './run-wall.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    some: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const started = performance.now()
const trials = (values.some ? someTrials() : allTrials()).filter(({ name }) =>
  name.includes(values.only),
)
const { results, wrong } = await runWall(trials)
for (const sentence of wrong) console.log(sentence)
const seconds = Math.round((performance.now() - started) / 1_000)
console.log(`${results.size} calls in ${seconds} s, ${wrong.length} faults of the gateway`)
if (values.write)
  writeFileSync(join(import.meta.dirname, '../../docs/fault-wall.md'), formatDocument(results))
process.exitCode = wrong.length === 0 ? 0 : 1
