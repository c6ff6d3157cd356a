// `npm run prove:usage -- --records 10000000`: how long questions about usage take, on SQLite and, with DATABASE_URL, on PostgreSQL.
import { parseArgs } from 'node:util'
import { proveUsage } from './usage.ts'

const { values } = parseArgs({ options: { records: { type: 'string', default: '10000000' } } })
const { DATABASE_URL: databaseUrl } = process.env
const records = Number(values.records)
for (const url of [undefined, databaseUrl].slice(0, databaseUrl === undefined ? 1 : 2)) {
  const { times, summed, ...facts } = await proveUsage(records, url)
  console.log(facts)
  console.log('| question | rows | ms |\n|---|---|---|')
  for (const { question, rows, ms } of times)
    console.log(`| ${question} | ${rows} | ${ms.toFixed(1)} |`)
  if (summed !== records) {
    console.log(`The sums hold ${summed} of ${records} records`)
    process.exitCode = 1
  }
}
if (databaseUrl === undefined) console.log('PostgreSQL was left out: DATABASE_URL is not set')
