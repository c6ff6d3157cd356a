import type { Check, Problem } from './check.ts'
import { type Clues, findClues } from './clues.ts'
import { fill } from './fill.ts'
import {
  asSchema,
  decoded,
  isRecord,
  type JsonSchema,
  merged,
  numberIn,
  resolveReferences,
  textIn,
} from './json-schema.ts'
import { samplePattern } from './regex/sample.ts'

const roundsMax = 12
const problemsMax = 10
/** What is filled to mend one problem is small; schemas that grow without end are given up. */
const nodesMax = 200

interface Work {
  readonly root: JsonSchema
  readonly clues: Clues
}

/** Mends a value problem by problem until the check passes; undefined where it does not get there. */
export function repair(
  value: unknown,
  work: Work,
  check: Check,
): { readonly value: unknown } | undefined {
  const box: { root: unknown } = { root: structuredClone(value) }
  for (let round = 0; round < roundsMax; round++) {
    const problems = check(box.root)
    if (problems.length === 0) return { value: box.root }
    const before = JSON.stringify(box.root)
    for (const problem of problems.slice(0, problemsMax)) mend(box, problem, work)
    if (JSON.stringify(box.root) === before) return undefined
  }
  return undefined
}

function mend(box: { root: unknown }, problem: Problem, work: Work): void {
  const path = ['root', ...problem.instancePath.split('/').slice(1).map(unescaped)]
  const parent = ownAt(box, path.slice(0, -1))
  const key = path.at(-1) ?? ''
  // Only what the value itself holds: a schema may speak of `__proto__`.
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) return
  const next = mended(
    Reflect.get(parent, key),
    problem,
    ruleAt(problem.schemaPath, work.root),
    work,
  )
  if (next === undefined) return
  const changed = { value: next.value, writable: true, enumerable: true, configurable: true }
  Object.defineProperty(parent, key, changed)
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

function ownAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => ownValue(value, key), root)
}

function ownValue(value: unknown, key: string): unknown {
  const holds = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
  return holds ? Reflect.get(value, key) : undefined
}

/** The schema whose keyword failed. */
function ruleAt(schemaPath: string, root: JsonSchema): JsonSchema {
  const parts = schemaPath.replace(/^#\/?/, '').split('/').slice(0, -1)
  let value: unknown = root
  for (const raw of parts) {
    const key = unescaped(decoded(raw))
    const resolved =
      isRecord(value) && !Object.hasOwn(value, key) ? resolveReferences(value, root) : value
    value = ownValue(resolved, key)
  }
  const found = resolveReferences(asSchema(value), root)
  return isRecord(found) ? merged(found, root) : found
}

function filled(schema: JsonSchema, { root, clues }: Work): unknown {
  return fill(schema, clues, { root, nodesMax }).value
}

interface Mended {
  readonly value: unknown
}

function mended(
  current: unknown,
  problem: Problem,
  rule: JsonSchema,
  work: Work,
): Mended | undefined {
  const { keyword, params } = problem
  const detail = (key: string): unknown => Reflect.get(params, key)
  const own = isRecord(rule) ? rule : {}
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
    case 'dependencies':
      return withProperty(current, String(detail('missingProperty')), own, work)
    case 'additionalProperties':
      return withoutProperty(current, String(detail('additionalProperty')))
    case 'unevaluatedProperties':
      return withoutProperty(current, String(detail('unevaluatedProperty')))
    case 'propertyNames':
      return withoutProperty(current, String(detail('propertyName')))
    case 'const':
      return { value: detail('allowedValue') }
    case 'enum': {
      const allowed = detail('allowedValues')
      return Array.isArray(allowed) ? { value: allowed[0] } : undefined
    }
    case 'type':
    case 'oneOf':
    case 'anyOf':
    case 'if':
    case 'not':
      return refilled(current, problem, own, work)
    default:
      return ofSize(current, keyword, own) ?? ofForm(keyword, own, work)
  }
}

function withProperty(
  current: unknown,
  name: string,
  rule: JsonSchema,
  work: Work,
): Mended | undefined {
  if (!isRecord(current)) return undefined
  const properties = isRecord(rule) && isRecord(rule['properties']) ? rule['properties'] : {}
  const schema = asSchema(Object.hasOwn(properties, name) ? properties[name] : true)
  return { value: { ...current, [name]: valueFor(schema, name, work) } }
}

/** The value alone, as it would be filled within an object that requires it. */
function valueFor(schema: JsonSchema, name: string, work: Work): unknown {
  const found = filled({ type: 'object', properties: { [name]: schema }, required: [name] }, work)
  return isRecord(found) ? found[name] : null
}

function withoutProperty(current: unknown, name: string): Mended | undefined {
  if (!isRecord(current)) return undefined
  const { [name]: _gone, ...rest } = current
  return { value: rest }
}

/** Another alternative, another type, or something else than what must not be. */
function refilled(
  current: unknown,
  problem: Problem,
  rule: JsonSchema,
  work: Work,
): Mended | undefined {
  if (!isRecord(rule)) return undefined
  if (problem.keyword === 'if') {
    const branch =
      Reflect.get(problem.params, 'failingKeyword') === 'then' ? rule['then'] : rule['else']
    const added = filled(asSchema(branch), work)
    return isRecord(current) && isRecord(added) ? { value: { ...added, ...current } } : undefined
  }
  if (problem.keyword === 'not') return { value: somethingElse(current) }
  if (problem.keyword === 'type') return { value: filled({ ...rule }, work) }
  const ways = rule[problem.keyword]
  if (!Array.isArray(ways)) return undefined
  const passing: unknown = Reflect.get(problem.params, 'passingSchemas')
  // Two alternatives hold at once: the second is to be left by another one.
  const chosen = Array.isArray(passing) ? ways.findIndex((_, index) => !passing.includes(index)) : 0
  return chosen < 0 ? undefined : { value: filled(asSchema(ways[chosen]), work) }
}

function somethingElse(current: unknown): unknown {
  if (typeof current === 'number') return current + 1
  if (typeof current === 'string') return `${current}x`
  if (typeof current === 'boolean') return !current
  if (Array.isArray(current)) return current.slice(0, -1)
  if (isRecord(current)) return Object.fromEntries(Object.entries(current).slice(0, -1))
  return ''
}

function ofSize(current: unknown, keyword: string, rule: JsonSchema): Mended | undefined {
  if (Array.isArray(current) && keyword === 'uniqueItems')
    return { value: [...new Map(current.map((item) => [JSON.stringify(item), item])).values()] }
  const limit = isRecord(rule) ? numberIn(rule, keyword) : undefined
  const resize = limit === undefined ? undefined : resizing[keyword]
  const value = limit === undefined ? undefined : resize?.(current, Math.min(limit, 1e6), rule)
  return value === undefined ? undefined : { value }
}

type Resize = (current: unknown, limit: number, rule: JsonSchema) => unknown

const ofNumber =
  (change: (value: number, limit: number) => number): Resize =>
  (current, limit) =>
    typeof current === 'number' ? change(current, limit) : undefined

const sizeMax = 1000

const resizing: Readonly<Record<string, Resize>> = {
  maxItems: (current, limit) => (Array.isArray(current) ? current.slice(0, limit) : undefined),
  minItems: (current, limit) =>
    Array.isArray(current) && limit <= sizeMax
      ? [...current, ...Array(Math.max(0, limit - current.length)).fill(current.at(-1) ?? null)]
      : undefined,
  maxProperties: (current, limit) =>
    isRecord(current) ? Object.fromEntries(Object.entries(current).slice(0, limit)) : undefined,
  minProperties: (current, limit, rule) => {
    if (!isRecord(current) || limit > sizeMax) return undefined
    const added = Array.from({ length: limit }, (_, index) => [
      `property${index + 1}`,
      propertyValue(rule),
    ])
    return { ...current, ...Object.fromEntries(added.slice(Object.keys(current).length)) }
  },
  maxLength: (current, limit) =>
    typeof current === 'string' ? [...current].slice(0, limit).join('') : undefined,
  minLength: (current, limit) =>
    typeof current === 'string' ? current.padEnd(Math.min(limit, 100_000), 'x') : undefined,
  multipleOf: ofNumber((value, step) => Math.round(value / step) * step),
  minimum: ofNumber((_, limit) => limit),
  maximum: ofNumber((_, limit) => limit),
  exclusiveMinimum: ofNumber((_, limit) => limit + 1),
  exclusiveMaximum: ofNumber((_, limit) => limit - 1),
}

function propertyValue(rule: JsonSchema): unknown {
  const schema = isRecord(rule) ? asSchema(rule['additionalProperties']) : true
  return isRecord(schema) ? fill(schema, emptyClues, { nodesMax }).value : ''
}

const emptyClues: Clues = findClues('', { now: 0 })

function ofForm(keyword: string, rule: JsonSchema, work: Work): Mended | undefined {
  if (!isRecord(rule)) return undefined
  const pattern = textIn(rule, 'pattern')
  if (keyword === 'pattern' && pattern !== undefined) {
    const sample = samplePattern(pattern, numberIn(rule, 'minLength') ?? 0)
    return sample === undefined ? undefined : { value: sample }
  }
  return keyword === 'format' || keyword === 'pattern'
    ? {
        value: filled(
          { ...rule, type: 'string' },
          { ...work, clues: { ...emptyClues, now: work.clues.now } },
        ),
      }
    : undefined
}
