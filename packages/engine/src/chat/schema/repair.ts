import type { Check, Problem } from './check.ts'
import type { Clues } from './clues.ts'
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
  if (!isRecord(rule)) return undefined
  const limit = numberIn(rule, keyword)
  if (keyword === 'uniqueItems' && Array.isArray(current))
    return { value: [...new Map(current.map((item) => [JSON.stringify(item), item])).values()] }
  if (limit === undefined) return undefined
  if (Array.isArray(current)) {
    if (keyword === 'maxItems') return { value: current.slice(0, limit) }
    if (keyword === 'minItems' && limit <= 1000)
      return {
        value: [
          ...current,
          ...Array.from(
            { length: Math.max(0, limit - current.length) },
            () => current.at(-1) ?? null,
          ),
        ],
      }
  }
  if (isRecord(current) && keyword === 'maxProperties')
    return { value: Object.fromEntries(Object.entries(current).slice(0, limit)) }
  if (isRecord(current) && keyword === 'minProperties' && limit <= 100) {
    const added = Array.from(
      { length: limit },
      (_, index) => [`property${index + 1}`, propertyValue(rule)] as const,
    )
    return {
      value: { ...current, ...Object.fromEntries(added.slice(Object.keys(current).length)) },
    }
  }
  if (typeof current === 'string') {
    if (keyword === 'maxLength') return { value: [...current].slice(0, limit).join('') }
    if (keyword === 'minLength') return { value: current.padEnd(Math.min(limit, 100_000), 'x') }
  }
  if (typeof current !== 'number') return undefined
  if (keyword === 'multipleOf') return { value: Math.round(current / limit) * limit }
  if (keyword === 'minimum' || keyword === 'maximum') return { value: limit }
  return { value: keyword === 'exclusiveMinimum' ? limit + 1 : limit - 1 }
}

function propertyValue(rule: JsonSchema): unknown {
  const schema = isRecord(rule) ? asSchema(rule['additionalProperties']) : true
  return isRecord(schema) ? fill(schema, emptyClues, { nodesMax }).value : ''
}

const emptyClues: Clues = {
  text: '',
  words: [],
  numbers: [],
  dates: [],
  times: [],
  emails: [],
  urls: [],
  phones: [],
  quoted: [],
  names: [],
  pairs: new Map(),
  answer: undefined,
  before: undefined,
  now: 0,
}

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
