// `npm run prove:ledger -- --rounds 20`: the ledger after as many kills, on SQLite and, with
// DATABASE_URL, on PostgreSQL, in one process and with workers.
import { parseArgs } from 'node:util'
import { proveLedger } from './ledger.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } })
const { DATABASE_URL: databaseUrl } = process.env
const rounds = Number(values.rounds)
const scenes = [
  { name: 'SQLite' },
  { name: 'SQLite, two workers', workers: 2 },
  ...(databaseUrl === undefined ? [] : [{ name: 'PostgreSQL', databaseUrl }]),
  ...(databaseUrl === undefined
    ? []
    : [{ name: 'PostgreSQL, two workers', databaseUrl, workers: 2 }]),
]
for (const { name, ...scene } of scenes) {
  const { wrong, ...counts } = await proveLedger({ rounds, ...scene })
  console.log(name, counts)
  for (const sentence of wrong.slice(0, 20)) console.log(sentence)
  console.log(wrong.length === 0 ? 'The ledger is right.' : `${wrong.length} disagreements`)
  if (wrong.length > 0) process.exitCode = 1
}
if (databaseUrl === undefined) console.log('PostgreSQL was left out: DATABASE_URL is not set')
