import { existsSync, readFileSync } from 'node:fs'
import { isObject } from '@sluice/contract'
import { programVersion } from '@sluice/gateway/settings/version.ts'
import { endpoint, readers } from '../endpoint.ts'
import { anyObject, list, number, numberOrNull, object, orNull, text } from '../shapes.ts'

const programFolder = new URL('.', new URL('../../../../package.json', import.meta.url))
/** Written by the bundler, with the licenses of everything in the bundle. */
const notices = new URL('dist/THIRD-PARTY-LICENSES.txt', programFolder)
const benchmarkFile = new URL('../../../../bench/results/latest.json', import.meta.url)
const startedAt = Date.now() - process.uptime() * 1_000

/** Describes the running program. */
export const getAbout = endpoint({
  method: 'GET',
  path: '/admin/v1/about',
  access: readers,
  operationId: 'getAbout',
  summary: 'Get the version, the platform, the licenses of bundled packages, and the benchmark',
  tag: 'Operation',
  reply: object({
    version: text,
    node: text,
    platform: text,
    startedAt: text,
    database: text,
    licence: text,
    packages: list(object({ name: text, version: text, licence: text })),
    benchmark: orNull(
      object({
        at: text,
        machine: anyObject,
        rows: list(
          object({
            scenario: text,
            target: text,
            requestsPerSecond: number,
            firstP50Ms: numberOrNull,
            firstP99Ms: numberOrNull,
          }),
        ),
      }),
    ),
  }),
  answer: async (_, { gateway }) => ({
    version: programVersion(),
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    startedAt: new Date(startedAt).toISOString(),
    database: gateway.settings.config().storage.url === undefined ? 'SQLite' : 'PostgreSQL',
    licence: licence(),
    packages: packages(),
    benchmark: benchmark(),
  }),
})

function licence(): string {
  const content: unknown = JSON.parse(readFileSync(new URL('package.json', programFolder), 'utf8'))
  return isObject(content) ? String(content['license']) : ''
}

/** Each notice begins with a title line. Without a bundle there are no notices. */
function packages() {
  if (!existsSync(notices)) return []
  const title = /^(\S+) (\d\S*) \(([^()]+)\)$/gm
  return [...readFileSync(notices, 'utf8').matchAll(title)].map(
    ([, name = '', version = '', of = '']) => ({ name, version, licence: of }),
  )
}

function benchmark() {
  const content = parsed(readFileSync(benchmarkFile, 'utf8'))
  const { at, machine, measured } = content
  if (!Array.isArray(measured)) return null
  return {
    at: String(at),
    machine: isObject(machine) ? machine : {},
    rows: measured.filter(isObject).flatMap(({ scenario, rows }) =>
      (Array.isArray(rows) ? rows.filter(isObject) : []).map((row) => {
        const first = isObject(row['first']) ? row['first'] : {}
        return {
          scenario: isObject(scenario) ? String(scenario['title']) : '',
          target: String(row['target']),
          requestsPerSecond: Number(row['requestsPerSecond'] ?? 0),
          firstP50Ms: numberIn(first['p50']),
          firstP99Ms: numberIn(first['p99']),
        }
      }),
    ),
  }
}

function numberIn(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

function parsed(json: string): Readonly<Record<string, unknown>> {
  const content: unknown = JSON.parse(json)
  return isObject(content) ? content : {}
}
