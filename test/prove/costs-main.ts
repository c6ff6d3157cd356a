// `npm run prove:costs -- --records 1000000`: a large database is opened by a program that counts finer than an older one, which
// goes on writing. On SQLite and, with DATABASE_URL, on PostgreSQL.
import { parseArgs } from 'node:util'
import { proveCosts } from './costs.ts'

const { values } = parseArgs({ options: { records: { type: 'string', default: '1000000' } } })
const { DATABASE_URL: databaseUrl } = process.env
for (const url of [undefined, databaseUrl].slice(0, databaseUrl === undefined ? 1 : 2)) {
  const { summed, recorded, ...facts } = await proveCosts(Number(values.records), url)
  console.log(facts)
  if (summed === recorded) continue
  console.log(`The sums hold ${summed} picodollars of ${recorded}`)
  process.exitCode = 1
}
if (databaseUrl === undefined) console.log('PostgreSQL was left out: DATABASE_URL is not set')
