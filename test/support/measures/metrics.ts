import { expect } from 'vitest'
import { adminKey, type Started } from '../start.ts'

/** One line of Prometheus' text format. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Scrape {
  readonly samples: readonly Sample[]
  /** The types of the metric families, by name without the suffix of each sample. */
  readonly types: ReadonlyMap<string, string>
  /** The sum of all samples with this name and these labels; undefined if there are none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined
}

const samplePattern = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\+Inf|-Inf|NaN|[-\d.e+]+)$/
const labelPattern = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/gy

/** Reads the metrics; every line must be valid (Prometheus, text-based format 0.0.4). */
export async function scrape(gateway: Started): Promise<Scrape> {
  const response = await gateway.request('/metrics', { key: adminKey })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return readMetrics(await response.text())
}

export function readMetrics(text: string): Scrape {
  const types = new Map<string, string>()
  const samples: Sample[] = []
  const seen = new Set<string>()
  for (const line of text.split('\n')) {
    const [, name, type] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? []
    if (name !== undefined && type !== undefined) {
      expect(types.has(name), `${name} is one family`).toBe(false)
      types.set(name, type)
    }
    if (line === '' || line.startsWith('# ')) continue
    const [, sample = '', labels = '', value = ''] = samplePattern.exec(line) ?? []
    expect(sample, line).not.toBe('')
    const series = line.slice(0, line.lastIndexOf(' '))
    expect(seen.has(series), `${series} comes once`).toBe(false)
    seen.add(series)
    samples.push({ name: sample, labels: readLabels(labels), value: Number(value) })
  }
  return {
    types,
    samples,
    value(name, labels = {}) {
      const found = samples.filter(
        (sample) =>
          sample.name === name &&
          Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
      )
      return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0)
    },
  }
}

function readLabels(text: string): Readonly<Record<string, string>> {
  labelPattern.lastIndex = 0
  const labels: Record<string, string> = {}
  while (labelPattern.lastIndex < text.length) {
    const at = labelPattern.lastIndex
    const [, name, value] = labelPattern.exec(text) ?? []
    if (name === undefined || value === undefined) throw new Error(`No label: ${text.slice(at)}`)
    labels[name] = value.replace(/\\(["\\n])/g, (_all, sign) => (sign === 'n' ? '\n' : sign))
  }
  return labels
}
