// Exports contain texts from callers and upstreams unchanged, and no cell of a table becomes a formula.
import { describe, expect, test } from 'vitest'
import type { UsageRecord } from '../../../packages/contract/src/core/usage.ts'
import { strangeNames } from '../../corpus/strange-names.ts'
import { fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { ledger } from '../../support/ledger.ts'
import { ask, at, good } from '../../support/routes.ts'
import { onEachDatabase } from '../../support/servers/databases.ts'
import { adminKey, type Started, start } from '../../support/start.ts'

const controls = Array.from({ length: 32 }, (_, code) => `a${String.fromCharCode(code)}b`)
const formulas = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '＝1+1',
  '＋1',
  '－1',
  '＠x',
]
const texts = [
  ...strangeNames,
  ...controls,
  ...formulas,
  '\u007f',
  '\u0085',
  '\u2029',
  '\ufeffa',
  '\udc00\ud800',
  'a,b',
  '"',
  '""',
  'a\r\nb',
  "'=1",
  ' ',
  '👩‍👩‍👧',
]

/** What a database can keep of it. */
const kept = (text: string) => text.replaceAll('\0', '\ufffd').toWellFormed()

/** RFC 4180 to the letter: every line ends in CR LF, and a quotation mark stands only in a quoted value. */
function parseCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  for (let row: string[] = []; cell.lastIndex < text.length; ) {
    const at = cell.lastIndex
    const found = cell.exec(text)
    if (!found) throw new Error(`No value begins at ${at}: ${text.slice(at, at + 60)}`)
    const [, quoted, plain = '', end] = found
    row.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

async function exported(gateway: Started, format: string): Promise<string> {
  const path = `/admin/v1/usage/records?format=${format}`
  const response = await gateway.request(path, { key: adminKey })
  expect(response.status).toBe(200)
  const bytes = await response.arrayBuffer()
  // Nothing that is not UTF-8, and the mark that begins a text is a character of it.
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}

const fields = [
  'model',
  'requestedModel',
  'requestId',
  'userId',
  'reason',
  'upstreamRequestId',
] as const

function strange(record: UsageRecord, text: string, at: number): UsageRecord {
  const named = Object.fromEntries(fields.map((field) => [field, text]))
  return { ...record, ...named, callId: `strange_${at}`, tags: [text, 'plain'] }
}

onEachDatabase((newData) => {
  describe('exported texts', () => {
    async function filled(opened: AsyncDisposableStack): Promise<Started> {
      const data = opened.use(await newData())
      const first = opened.use(await fakeUpstream(good))
      const gateway = opened.use(await start(at({ first }), data.options))
      await gateway.post('/v1/chat/completions', { model: 'first/a', ...ask })
      const [record] = await ledger(gateway)
      if (!record) throw new Error('The call is not in the ledger')
      for (const [at, text] of texts.entries())
        gateway.gateway.store.recordUsage(strange(record, text, at))
      return gateway
    }

    test('round-trip through JSON lines', async () => {
      await using opened = new AsyncDisposableStack()
      const lines = (await exported(await filled(opened), 'jsonl')).split('\n')
      expect(lines.pop()).toBe('')
      const rows = lines.map((line) => JSON.parse(line) as Record<string, string>)
      for (const [at, text] of texts.entries()) {
        const row = rows.find(({ callId }) => callId === `strange_${at}`)
        for (const field of fields) expect([field, row?.[field]]).toEqual([field, kept(text)])
        expect(JSON.parse(row?.['tags'] ?? '')).toEqual([kept(text), 'plain'])
      }
    })

    test('round-trip through CSV, with an apostrophe before formulas', async () => {
      await using opened = new AsyncDisposableStack()
      const [names = [], ...rows] = parseCsv(await exported(await filled(opened), 'csv'))
      expect(rows).toHaveLength(texts.length + 1)
      for (const row of rows) expect(row).toHaveLength(names.length)
      for (const [at, text] of texts.entries()) {
        const row = rows.find((cells) => cells[names.indexOf('callId')] === `strange_${at}`) ?? []
        const of = (name: string) => row[names.indexOf(name)]
        const shown = `${formulas.includes(text) ? "'" : ''}${kept(text)}`
        for (const field of fields) expect([field, of(field)]).toEqual([field, shown])
        expect(JSON.parse(of('tags') ?? '')).toEqual([kept(text), 'plain'])
      }
    })

    test('name the groups of sums in both formats', async () => {
      await using opened = new AsyncDisposableStack()
      const gateway = await filled(opened)
      const sums = async (format: string) => {
        const path = `/admin/v1/usage?by=tag,model&format=${format}`
        return (await gateway.request(path, { key: adminKey })).text()
      }
      const [, ...rows] = parseCsv(await sums('csv'))
      const lines = (await sums('jsonl')).trimEnd().split('\n')
      const told = lines.map((line) => JSON.parse(line) as Record<string, string>)
      expect(rows).toHaveLength(told.length)
      for (const text of texts) {
        const name = kept(text)
        const isTold = told.some(({ tag, model }) => tag === name && model === name)
        expect([text, isTold]).toEqual([text, true])
        const shown = `${formulas.includes(text) ? "'" : ''}${name}`
        expect([text, rows.some(([tag]) => tag === shown)]).toEqual([text, true])
      }
    })
  })
})
