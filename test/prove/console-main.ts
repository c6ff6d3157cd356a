// `npm run prove:console -- --requests 100000`: how long the pages of the console take with so many requests in the database.
import { parseArgs } from 'node:util'
import { chromium } from '../support/browser/chromium.ts'
import { proveConsole } from './console.ts'

const { values } = parseArgs({ options: { requests: { type: 'string', default: '100000' } } })
if (chromium === undefined)
  throw new Error('There is no Chromium in /usr/bin (apt-get install chromium)')
const { requests, loads, frames, searches } = await proveConsole(Number(values.requests), chromium)
console.log(`${requests} requests of 30 days in SQLite`)
console.log('\n| page, nothing kept by the browser | ms |\n|---|---|')
for (const { what, ms } of loads) console.log(`| ${what} | ${ms.toFixed(0)} |`)
console.log('\n| search | ms |\n|---|---|')
for (const { what, ms } of searches) console.log(`| ${what} | ${ms.toFixed(0)} |`)
console.log(
  `\n${frames.count} pictures while scrolling through ${frames.rows} rows: ` +
    `p50 ${frames.p50Ms.toFixed(1)} ms, p95 ${frames.p95Ms.toFixed(1)} ms, longest ${frames.longestMs.toFixed(1)} ms`,
)
