import { expect, test } from 'vitest'
import { judge } from '../src/kept-ratio.ts'
import type { Cell } from '../src/measure.ts'
import { drawPicture } from '../src/picture.ts'
import { resultTables } from '../src/readme.ts'
import { formatResults, type Results } from '../src/results.ts'
import { rowsOf } from '../src/rounds.ts'
import { chat2k } from '../src/scenarios.ts'

const cell = (cpuUs: number | undefined, further: Partial<Cell> = {}): Cell => ({
  requests: 100,
  failures: {},
  requestsPerSecond: 1_000,
  cpuUs,
  residentBytes: 30 * 1024 * 1024,
  first: { p50: 1, p99: 2 },
  whole: { p50: 3, p99: 4 },
  eventDelay: undefined,
  gatewayShare: cpuUs === undefined ? undefined : 0.95,
  othersShare: 0.04,
  loadShare: 0.4,
  loadCoreShare: 0.5,
  stolenShare: 0,
  ...further,
})

const rows = rowsOf(
  new Map([
    ['direct', [cell(undefined), cell(undefined)]],
    ['thin', [cell(90), cell(80)]],
    ['bare', [cell(120), cell(100)]],
    ['sluice', [cell(250), cell(300, { failures: { 'HTTP 500': 2 } })]],
  ]),
)

test('rows compare the minimum over the rounds with those of both proxies', () => {
  expect(
    rows.map(({ target, cpuUs, ratio, ratioToBare }) => [target, cpuUs, ratio, ratioToBare]),
  ).toEqual([
    ['direct', undefined, undefined, undefined],
    ['thin', 80, 1, 0.8],
    ['bare', 100, 1.25, 1],
    ['sluice', 250, 3.125, 2.5],
  ])
  expect(rows[3]).toMatchObject({ cpuMedianUs: 275, failures: 2, first: { p50: 1, p99: 2 } })
  expect(rows[3]?.cpuSpread).toBeCloseTo(50 / 275)
})

test('has no ratio without the proxies', () => {
  expect(rowsOf(new Map([['sluice', [cell(250)]]]))[0]?.ratio).toBeUndefined()
})

const results: Results = {
  at: '2026-01-01T00:00:00.000Z',
  machine: {
    cpu: 'Acme <1>',
    cores: 2,
    memoryBytes: 1,
    kernel: '6.1',
    node: '24.0.0',
    versions: { sluice: '0.1.0' },
    loadBefore: [0.5, 0.4, 0.3],
  },
  loadAfter: [1, 1, 1],
  rounds: 2,
  measured: [{ scenario: chat2k, rows, leftOut: ['acme fails: {"HTTP 500":9}'] }],
  cold: [
    { load: 'cold', target: 'thin', ends: [500, 2_000], cpuUs: [200, 100] },
    { load: 'cold', target: 'bare', ends: [500, 2_000], cpuUs: [300, 160] },
    { load: 'cold', target: 'sluice', ends: [500, 2_000], cpuUs: [600, 240] },
  ],
  freshStreams: [
    { target: 'thin', firstP50Ms: 4.5, firstP99Ms: 200, cpuUsPerEvent: 44.25, failures: 0 },
  ],
  openStreams: [
    { target: 'bare', streams: 10, beforeBytes: 0, openBytes: 20_480, bytesPerStream: 2_048 },
  ],
  startups: [{ target: 'bare', readyMs: 100.4, idleBytes: 50 * 1024 * 1024 }],
  soaks: [],
}

test('the table names the machine, marks saturated cores and lists skipped targets', () => {
  const text = formatResults(results)
  expect(text).toContain('Acme <1>, 2 cores, Linux 6.1, Node 24.0.0')
  expect(text).toContain('Load average before 0.50 0.40 0.30')
  expect(text).toMatch(
    /^sluice +250 +275 +18 % +3\.13 +2\.50 +1000 +1\.00 \/ 2\.00 +3\.00 \/ 4\.00 +30 MB +95 %! +4 % +40 % +50 % +2$/m,
  )
  expect(text).toContain('acme fails: {"HTTP 500":9}')
  expect(text).toMatch(/^bare +10 +0 MB +0 MB +2\.0 KB$/m)
  expect(text).toMatch(/^bare +100 +50 MB$/m)
  expect(text).toMatch(/^ +calls 1 to 500 +calls 501 to 2000$/m)
  expect(text).toMatch(/^sluice +600 \(3\.00 \/ 2\.00\) +240 \(2\.40 \/ 1\.50\)$/m)
  expect(text).toMatch(/^thin +4\.50 \/ 200\.00 +44\.3 +0$/m)
})

test('the README’s tables have a column for each target and no gap where something was not measured', () => {
  const text = resultTables(results)
  expect(text).toContain(
    '| chat, 2 KB request and reply | 80 (85) | 100 (110) | 250 (275) | 3.13 | 2.50 |',
  )
  expect(text).toContain('calls 1 to 500 | 200 | 300 | 600 | 3.00 | 2.00 |')
  expect(text).toContain('| bare | – | – | 100 | 50 MB | 30 MB | 2.0 |')
  expect(text).not.toMatch(/NaN|undefined/)
})

test('the chart has a bar for every timed target and valid markup', () => {
  const svg = drawPicture(results)
  expect(svg.match(/<rect /g)).toHaveLength(3)
  expect(svg).toContain('Acme &lt;1>')
  expect(svg).toContain('prefers-color-scheme: dark')
})

test.each([
  [2.4, 'fine'],
  [2.9, 'fine'],
  [3.1, 'dearer'],
  [3.9, 'too dear'],
])('a ratio of %d against the baseline 2.4 is %s', (ratio, verdict) => {
  expect(judge({ 'chat-2k': ratio }, { 'chat-2k': 2.4 })[0]?.verdict).toBe(verdict)
})

test('a ratio without a baseline is fine', () => {
  expect(judge({ burst: 9 }, undefined)).toEqual([
    { scenario: 'burst', ratio: 9, kept: undefined, verdict: 'fine' },
  ])
})
