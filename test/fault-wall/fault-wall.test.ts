import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formats } from '../../packages/protocols/src/formats.ts'
import { providers } from '../../packages/gateway/src/providers/index.ts'
import { callers } from './callers.ts'
import { allTrials, groups, someTrials } from './cells.ts'
import { pairs } from './pairs.ts'
import { spoken } from './protocols.ts'
import { runWall } from './run-wall.ts'

const once = { name: 'every fault once, whole and streamed', trials: someTrials, least: 400 }
const everywhere = { name: 'every fault in every cell', trials: allTrials, least: 15_000 }

// All take minutes: before a change lands, and not with every `npm test`. The others are among them.
test.each(process.env['CI'] ? [everywhere] : [once])(
  '$name',
  async ({ trials, least }) => {
    const { results, wrong } = await runWall(trials())
    expect(wrong).toEqual([])
    expect(results.size).toBeGreaterThan(least)
  },
  900_000,
)

test('the quick run covers every fault and every pair', () => {
  const some = someTrials()
  const names = (trials: typeof some) => [...new Set(trials.map(({ cell }) => cell.fault.name))]
  expect(names(some)).toEqual(names(allTrials()))
  const pairNames = new Set(
    some.map(({ cell: { caller, protocol, stream } }) => `${caller.name} ${protocol.id} ${stream}`),
  )
  expect(pairNames.size).toBe(pairs.length)
})

test('covers every client format for text', () => {
  const texts = formats.filter(
    ({ id, operation, counted }) =>
      (operation === 'chat' || operation === 'complete') &&
      !counted &&
      // It is asked as a whole response is.
      id !== 'responsesCompact',
  )
  expect([...new Set(callers.flatMap((caller) => caller.formats))].toSorted()).toEqual(
    texts.map(({ id }) => id).toSorted(),
  )
})

test('covers every chat protocol', () => {
  const found = [...providers.values()].flatMap(({ protocol, operations }) =>
    protocol.codecs.chat && operations?.includes('chat') !== false ? [protocol.id] : [],
  )
  expect(spoken.map(({ id }) => id).toSorted()).toEqual([...new Set(found)].toSorted())
})

test('docs/fault-wall.md lists the same faults, all passed', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/fault-wall.md'), 'utf8')
  const tables = text.slice(text.indexOf('| fault |'), text.indexOf('## Exceptions'))
  const rows = tables.split('\n').filter((line) => /^\| (?!fault |---)/.test(line))
  expect(rows.map((row) => row.split(' | ')[0]?.slice(2))).toEqual(
    groups.flatMap(({ faults }) => faults.map(({ name }) => name)),
  )
  expect(rows.filter((row) => !/\| \d+ \|$/.test(row))).toEqual([])
})
