// Routes that are written back to the file: whatever comes to stand where, the comments of an item go with it.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { textWith } from '../../src/config/section.ts'
import '../../../../test/support/property-limits.ts'

interface Route {
  readonly targets: readonly { readonly target: string; readonly weight?: number }[]
  readonly fallback: readonly string[]
}

const text = `# top
models:
  fast:
    targets: # in order
      # the cheap one
      # (for now)
      - target: a/m # a
        weight: 2
      # the dear one
      - target: b/m
        # heavy
        weight: 3   # three
      # the last
      - target: c/m
    # of the route
    fallback:
    - x # first
    # second
    - y
  other: { targets: [{ target: q/m }] } # flow
# end
server:
  port:  9000
`
const routesIn = (file: string) =>
  (parseDocument(file).toJS() as { readonly models: { readonly fast: Route } }).models.fast
const before = routesIn(text)
const written = (after: Route) =>
  textWith(text, 'models', [{ name: 'fast', change: 'changed', before, after }])
const [a, b, c] = before.targets as [Route['targets'][0], Route['targets'][0], Route['targets'][0]]

const pieces = {
  'a/m': '      # the cheap one\n      # (for now)\n      - target: a/m # a\n        weight: 2\n',
  'b/m':
    '      # the dear one\n      - target: b/m\n        # heavy\n        weight: 3   # three\n',
  'c/m': '      # the last\n      - target: c/m\n',
}

test('reordering targets moves their comments along and changes nothing else', () => {
  expect(written({ ...before, targets: [c, a, b] })).toBe(
    text.replace(
      pieces['a/m'] + pieces['b/m'] + pieces['c/m'],
      pieces['c/m'] + pieces['a/m'] + pieces['b/m'],
    ),
  )
  expect(written({ ...before, fallback: ['y', 'x'] })).toBe(
    text.replace(
      '    - x # first\n    # second\n    - y\n',
      '    # second\n    - y\n    - x # first\n',
    ),
  )
})

test('inserting, removing and changing a target keeps the others’ comments', () => {
  const added = { target: 'n/m', weight: 1 }
  expect(written({ ...before, targets: [a, added, b, c] })).toBe(
    text.replace(pieces['b/m'], `      - target: n/m\n        weight: 1\n${pieces['b/m']}`),
  )
  expect(written({ ...before, targets: [b, c] })).toBe(text.replace(pieces['a/m'], ''))
  expect(written({ ...before, targets: [{ target: 'n/m', weight: 2 }, b, c] })).toBe(
    text.replace('target: a/m', 'target: n/m'),
  )
  expect(written({ ...before, targets: [c, { ...b, weight: 9 }, a] })).toBe(
    text.replace(
      pieces['a/m'] + pieces['b/m'] + pieces['c/m'],
      pieces['c/m'] + pieces['b/m'].replace('3 ', '9 ') + pieces['a/m'],
    ),
  )
})

test('any written route parses back, and keeps the comments of remaining targets', () => {
  const target = fc.record({
    target: fc.constantFrom('a/m', 'b/m', 'c/m', 'd/m', '#e: "/m'),
    weight: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
  })
  const route = fc.record({
    targets: fc.uniqueArray(target, { minLength: 1, selector: (one) => one.target }),
    fallback: fc.uniqueArray(fc.constantFrom('x', 'y', 'z', '- w # v')),
  })
  fc.assert(
    fc.property(route, (random) => {
      const after: Route = JSON.parse(JSON.stringify(random))
      const file = written(after)
      expect(routesIn(file)).toEqual(after)
      for (const comment of ['# top', '# flow', '# end']) expect(file).toContain(comment)
      const comments = { 'a/m': '# (for now)', 'b/m': '# the dear one', 'c/m': '# the last' }
      for (const { target: name } of after.targets)
        if (name in comments)
          expect(file).toContain(
            `${comments[name as keyof typeof comments]}\n      - target: ${name}`,
          )
    }),
  )
})

test('edits flow lists and empty lists', () => {
  const flow = 'models: { fast: { targets: [{ target: a/m }], fallback: [] } } # one line\n'
  const was = routesIn(flow)
  const after = { targets: [{ target: 'b/m' }, ...was.targets], fallback: ['x'] }
  const file = textWith(flow, 'models', [{ name: 'fast', change: 'changed', before: was, after }])
  expect(routesIn(file)).toEqual(after)
  expect(file).toContain('# one line')
})
