// What the pages of requests and of usage ask the gateway, and what they make of the answer: as data, without a browser.
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import '../../../test/support/property-limits.ts'
import { type Filters, isUntilNow, queryOf as requestQuery } from '../src/pages/requests/filters.ts'
import {
  besides,
  firstQuestion,
  isPeriod,
  pictureOf,
  type Question,
  queryOf as usageQuery,
  type Row,
} from '../src/pages/usage/question.ts'
import { requestTexts } from '../src/texts/requests.ts'
import { usageTexts } from '../src/texts/usage.ts'

const now = Date.UTC(2026, 4, 20, 13, 37, 21, 5)

describe('the query of a request filter', () => {
  test.each<[Filters, object]>([
    [{}, {}],
    [{ time: '1h' }, { from: '2026-05-20T12:37:21.005Z' }],
    [{ time: '1d' }, { from: '2026-05-19T13:37:21.005Z' }],
    [{ time: '7d' }, { from: '2026-05-13T13:37:21.005Z' }],
    [{ time: '1d', from: '2020-01-01', to: '2020-01-02' }, { from: '2026-05-19T13:37:21.005Z' }],
    [{ time: 'between', from: '2026-05-01T08:00' }, { from: '2026-05-01T08:00:00.000Z' }],
    [{ time: 'between', to: '2026-05-02T08:30' }, { to: '2026-05-02T08:30:00.000Z' }],
    [{ time: 'between' }, {}],
    [{ from: 'yesterday' }, { from: '?' }],
    [
      { time: '1h', model: 'm', tag: 'x', status: '429' },
      { from: '2026-05-20T12:37:21.005Z', model: 'm', tag: 'x', status: '429' },
    ],
  ])('%j', (filters, query) => {
    vi.stubEnv('TZ', 'UTC')
    expect(requestQuery(filters, now)).toEqual(query)
    vi.unstubAllEnvs()
  })

  test('each time span asks for a different time', () => {
    const spans = Object.keys(requestTexts.times).filter((time) => /^\d/.test(time))
    const asked = spans.map((time) => requestQuery({ time }, now).from)
    expect(new Set(asked).size).toBe(spans.length)
    expect(asked).not.toContain(undefined)
  })

  test.each<[Filters, boolean]>([
    [{}, true],
    [{ time: '1h' }, true],
    [{ time: 'between' }, true],
    [{ time: 'between', from: '2026-05-01T08:00' }, false],
    [{ time: 'between', to: '2026-05-01T08:00' }, false],
  ])('%j is open-ended: %s', (filters, is) => {
    expect(isUntilNow(filters)).toBe(is)
  })
})

describe('the query of a usage report', () => {
  test.each<[Partial<Question>, number, object]>([
    [{}, now, { by: 'day,model', from: '2026-04-20T14:00:00.000Z' }],
    [{ and: '' }, now, { by: 'day', from: '2026-04-20T14:00:00.000Z' }],
    [
      { days: '1', by: 'hour', and: 'key' },
      now,
      { by: 'hour,key', from: '2026-05-19T14:00:00.000Z' },
    ],
    [{ days: '7' }, now, { by: 'day,model', from: '2026-05-13T14:00:00.000Z' }],
    [{ days: '90' }, now, { by: 'day,model', from: '2026-02-19T14:00:00.000Z' }],
  ])('%j', (change, at, asked) => {
    expect(usageQuery({ ...firstQuestion, ...change }, at)).toEqual({
      to: '2026-05-20T14:00:00.000Z',
      ...asked,
    })
  })

  test('on the hour ends with the hour that has just begun', () => {
    const hour = Date.UTC(2026, 4, 20, 13)
    expect(usageQuery(firstQuestion, hour).to).toBe('2026-05-20T14:00:00.000Z')
    expect(usageQuery(firstQuestion, hour - 1).to).toBe('2026-05-20T13:00:00.000Z')
  })

  test('never combines two periods or one dimension twice', () => {
    for (const by of besides('model').concat('model')) {
      expect(besides(by)).not.toContain(by)
      if (isPeriod(by)) expect(besides(by).some(isPeriod)).toBe(false)
    }
  })
})

describe('the chart of a usage report', () => {
  const naming = { nameOf: (_dimension: string, value: unknown) => String(value) }
  const row = (day: string, model: string, calls: number) =>
    ({ day, model, calls }) as unknown as Row
  const question: Question = { ...firstQuestion, measure: 'calls' }

  test.each([0, 1, 6, 7, 8, 9, 20])('of %i models', (count) => {
    // The larger the number, the smaller its usage: `m0` has the most.
    const models = Array.from({ length: count }, (_, index) => `m${index}`)
    const rows = models.toReversed().map((model, index) => row('d', model, index + 1))
    const { series, points } = pictureOf(rows, question, naming)
    const shown = models.slice(0, 7)
    const values = shown.map((_, index) => count - index)
    const rest =
      rows.length > 7 ? rows.slice(0, -7).reduce((sum, { calls = 0 }) => sum + calls, 0) : 0
    expect(series).toEqual([...shown, ...(count > 7 ? [usageTexts.rest] : [])])
    expect(points).toEqual(
      count === 0 ? [] : [{ place: 'd', values: [...values, ...(count > 7 ? [rest] : [])] }],
    )
  })

  test('property: loses no usage and counts none twice', () => {
    const rows = fc.array(
      fc.tuple(fc.constantFrom('d1', 'd2', 'd3'), fc.integer({ min: 0, max: 11 }), fc.nat(1_000)),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(rows, fc.constantFrom<Question['and']>('model', ''), (given, and) => {
        const all = given.map(([day, model, calls]) => row(day, `m${model}`, calls))
        const { series, points } = pictureOf(all, { ...question, and }, naming)
        expect(series.length).toBeLessThanOrEqual(8)
        for (const { place, values } of points) {
          expect(values).toHaveLength(series.length)
          for (const [index, name] of series.entries()) {
            const isOf = ({ day, model }: Row) =>
              String(day) === place &&
              (and === '' ||
                String(model) === name ||
                (name === usageTexts.rest && !series.includes(String(model))))
            const sum = all.filter(isOf).reduce((before, { calls = 0 }) => before + calls, 0)
            expect([place, name, values[index]]).toEqual([place, name, sum])
          }
        }
        expect(points.map(({ place }) => place).toSorted()).toEqual(
          [...new Set(given.map(([day]) => day))].toSorted(),
        )
      }),
    )
  })

  test('sorts groups by size and periods by time', () => {
    const rows = [row('d1', 'a', 1), row('d2', 'b', 5), row('d3', 'c', 3)]
    const places = (change: Partial<Question>) =>
      pictureOf(rows, { ...question, ...change }, naming).points.map(({ place }) => place)
    expect(places({ and: '' })).toEqual(['d1', 'd2', 'd3'])
    expect(places({ by: 'model', and: '' })).toEqual(['b', 'c', 'a'])
  })
})
