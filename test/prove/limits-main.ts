// `npm run prove:limits -- --seconds 30`: whether limits that several processes share are exact, in a table.
import { parseArgs } from 'node:util'
import { formatTable } from '../../packages/sluice/src/cli/table.ts'
import { breaches, proveLimits } from './limits.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '30' } } })
const proofs = await proveLimits(Number(values.seconds))
console.log(
  formatTable(
    ['limit', 'asked', 'allowed', 'admitted', 'used'],
    proofs.map(({ limit, unit, asked, allowed, admitted, utilisation }) => [
      limit,
      String(asked),
      `${allowed} ${unit}`,
      String(admitted),
      `${(utilisation * 100).toFixed(1)} %`,
    ]),
  ),
)
const wrong = breaches(proofs)
for (const sentence of wrong) console.log(sentence)
console.log(wrong.length === 0 ? 'Every limit held.' : `${wrong.length} limits did not hold`)
if (wrong.length > 0) process.exitCode = 1
