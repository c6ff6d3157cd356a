import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importsOf, readSources } from '../../../test/support/tidy-rules.ts'

const sources = readSources(join(import.meta.dirname, '..', '..'))
const own = [...sources].filter(([path]) => path.startsWith('engine/'))
const imports = new Map(own.map(([path, text]) => [path, importsOf(path, text)]))

/** The first way from a file back to itself, by imports of values or of types. */
function findCycle(from: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>()
  const walk = (path: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path]
    if (done.has(path)) return undefined
    for (const next of from.get(path) ?? []) {
      const cycle = walk(next, [...way, path])
      if (cycle !== undefined) return cycle
    }
    done.add(path)
    return undefined
  }
  for (const path of from.keys()) {
    const cycle = walk(path, [])
    if (cycle !== undefined) return cycle
  }
  return undefined
}

test('no import cycles in the engine, not even of types', () => {
  expect(imports.size).toBeGreaterThan(50)
  expect(findCycle(imports)).toBeUndefined()
  expect(
    findCycle(
      new Map([
        ['a', ['b']],
        ['b', ['c']],
        ['c', ['b']],
      ]),
    ),
  ).toEqual(['b', 'c', 'b'])
})
