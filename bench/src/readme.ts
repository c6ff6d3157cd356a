import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { coldLoads } from './cold.ts'
import type { Results } from './results.ts'
import type { Row } from './rounds.ts'

const folder = join(import.meta.dirname, '..')
const begin = '<!-- results: npm run bench -- --readme -->\n'
const end = '<!-- end of results -->'

/** Writes the tables of the README from the last full run. */
export function writeReadme(): void {
  const file = join(folder, 'README.md')
  const readme = readFileSync(file, 'utf8')
  const results: Results = JSON.parse(readFileSync(join(folder, 'results', 'latest.json'), 'utf8'))
  const from = readme.indexOf(begin) + begin.length
  const to = readme.indexOf(end)
  if (from < begin.length || to < from) throw new Error(`${file} has no place for results`)
  writeFileSync(file, `${readme.slice(0, from)}\n${resultTables(results)}\n${readme.slice(to)}`)
}

const number = (value: number | null | undefined, digits = 0) =>
  Number.isFinite(value) ? Number(value).toFixed(digits) : '–'
const megabytes = (bytes: number | null | undefined) =>
  bytes === undefined || bytes === null ? '–' : `${Math.round(bytes / 1024 / 1024)} MB`

/** The tables as Markdown: a line for each load, a column for each target. */
export function resultTables(results: Results): string {
  const { at, machine, rounds } = results
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`)
  const load = machine.loadBefore.map((one) => one.toFixed(2)).join(' ')
  return [
    `${at.slice(0, 10)}, ${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, ${rounds} rounds, load average before ${load}.`,
    `${versions.join(', ')}.`,
    ...section(
      'Processor time of a call in µs, smallest of the rounds (median)',
      costTable(results),
    ),
    ...section('Milliseconds to the end of the response, p50 / p99', timesTable(results, 'whole')),
    ...section('Milliseconds to the first text, p50 / p99', timesTable(results, 'first')),
    ...section('Processor time of a call on a fresh process in µs', coldTable(results)),
    ...section('Fresh processes, memory', processTable(results)),
  ].join('\n')
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length > 2 ? ['', `${title}:`, '', ...lines] : []
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]) {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(headings), `|${'---|'.repeat(headings.length)}`, ...rows.map(line)]
}

/** All targets of the run, in their order. */
function targetsOf({ measured, cold, startups }: Results): readonly string[] {
  const rows = [...measured.flatMap((one) => one.rows), ...cold, ...startups]
  return [...new Set(rows.map(({ target }) => target))]
}

function costTable(results: Results): readonly string[] {
  const targets = targetsOf(results).filter((name) => name !== 'direct')
  const rows = results.measured.map(({ scenario, rows: measured }) => {
    const find = (name: string) => measured.find(({ target }) => target === name)
    const ours = find('sluice')
    return [
      scenario.title,
      ...targets.map((name) => costOf(find(name))),
      number(ours?.ratio, 2),
      number(ours?.ratioToBare, 2),
    ]
  })
  return table(['', ...targets, 'Sluice to thin', 'to bare'], rows)
}

function costOf(row: Row | undefined): string {
  return row?.cpuUs === undefined ? '–' : `${number(row.cpuUs)} (${number(row.cpuMedianUs)})`
}

function timesTable(results: Results, of: 'first' | 'whole'): readonly string[] {
  const targets = targetsOf(results)
  const measured = results.measured.filter(
    ({ scenario }) => (scenario.spreadMs === undefined) === (of === 'whole'),
  )
  const rows = measured.map(({ scenario, rows: all }) => [
    scenario.title,
    ...targets.map((name) => {
      const pair = all.find(({ target }) => target === name)?.[of]
      return pair ? `${number(pair.p50, 1)} / ${number(pair.p99, 1)}` : '–'
    }),
  ])
  return table(['', ...targets], rows)
}

function coldTable({ cold }: Results): readonly string[] {
  const targets = [...new Set(cold.map(({ target }) => target))]
  const rows = coldLoads.flatMap(({ name, title, ends }) => {
    const ofLoad = cold.filter(({ load }) => load === name)
    if (ofLoad.length === 0) return []
    return ends.map((last, index) => {
      const us = (target: string) => ofLoad.find((one) => one.target === target)?.cpuUs[index]
      const ratio = (to: string) => number((us('sluice') ?? Number.NaN) / (us(to) ?? Number.NaN), 2)
      const calls = `calls ${(ends[index - 1] ?? 0) + 1} to ${last}`
      const figures = targets.map((target) => number(us(target)))
      return [`${title}: ${calls}`, ...figures, ratio('thin'), ratio('bare')]
    })
  })
  return table(['', ...targets, 'Sluice to thin', 'to bare'], rows)
}

function processTable(results: Results): readonly string[] {
  const { freshStreams, startups, openStreams, measured } = results
  const chat = measured.find(({ scenario }) => scenario.name === 'chat-2k')?.rows ?? []
  const rows = targetsOf(results)
    .filter((name) => name !== 'direct')
    .map((name) => {
      const named = <T extends { readonly target: string }>(all: readonly T[]) =>
        all.find(({ target }) => target === name)
      const fresh = named(freshStreams)
      const started = named(startups)
      return [
        name,
        fresh ? `${number(fresh.firstP50Ms, 1)} / ${number(fresh.firstP99Ms, 1)}` : '–',
        number(fresh?.cpuUsPerEvent, 1),
        number(started?.readyMs),
        megabytes(started?.idleBytes),
        megabytes(named(chat)?.residentBytes),
        number((named(openStreams)?.bytesPerStream ?? Number.NaN) / 1024, 1),
      ]
    })
  const headings = [
    '',
    '200 streams at once on a fresh process: first event ms, p50 / p99',
    'µs per event',
    'ready ms',
    'memory idle',
    'under load',
    'KB of an open stream',
  ]
  return table(headings, rows)
}
