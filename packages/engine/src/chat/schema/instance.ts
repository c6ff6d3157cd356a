import { type Check, createCheck, type Problem } from './check.ts'
import { type Clues, findClues } from './clues.ts'
import { fill } from './fill.ts'
import {
  asSchema,
  isBounded,
  isRecord,
  type JsonSchema,
  plainSchema,
  propertiesOf,
  type SchemaObject,
  schemasIn,
} from './json-schema.ts'

interface Instance {
  readonly value: unknown
  /** Names of required properties for which the text gives no value, so that one was invented. */
  readonly unsaid: readonly string[]
}

/**
 * A value that is valid against a schema, filled from a text. Undefined if none was found: the schema allows nothing, is too
 * large, or requires something that cannot be invented. `isStrict`: phrases that the text does not assign to a property count
 * as invented.
 */
export function createInstance(
  schema: JsonSchema,
  clues: Clues,
  isStrict = false,
): Instance | undefined {
  if (schema === false || !isBounded(schema)) return undefined
  const check = createCheck(schema)
  const unsaid = new Set<string>()
  const found = fill(schema, clues, { unsaid, isStrict })
  const value: unknown = JSON.parse(JSON.stringify(found.value) ?? 'null')
  const repaired = repair(value, { root: schema, clues, check })
  return repaired === undefined ? undefined : { value: repaired.value, unsaid: [...unsaid] }
}

const roundsMax = 12
const problemsMax = 10
/** Limit for filling one problem; schemas that grow without end are given up. */
const nodesMax = 200

interface Work {
  readonly root: JsonSchema
  readonly clues: Clues
  readonly check: Check
}

interface Holder {
  readonly value: unknown
}

/** Repairs a value, problem by problem, until the check passes; undefined if it does not succeed. */
function repair(value: unknown, work: Work): Holder | undefined {
  const box = { value: structuredClone(value) }
  for (let round = 0; round < roundsMax; round++) {
    const problems = work.check(box.value)
    if (problems.length === 0) return box
    const before = JSON.stringify(box.value)
    for (const problem of problems.slice(0, problemsMax)) repairAt(box, problem, work)
    if (JSON.stringify(box.value) === before) return undefined
  }
  return undefined
}

function repairAt(box: Holder, problem: Problem, work: Work): void {
  const names = problem.instancePath.split('/').slice(1)
  const path = ['value', ...names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))]
  const parent = path.slice(0, -1).reduce<unknown>(ownValue, box)
  const key = path.at(-1) ?? ''
  // Only own properties of the value: a schema may name `__proto__`.
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) return
  const rule = plainSchema(asSchema(problem.parentSchema), work.root)
  const value = repaired(Reflect.get(parent, key), problem, rule, work)
  if (value === undefined) return
  const changed = { value, writable: true, enumerable: true, configurable: true }
  Object.defineProperty(parent, key, changed)
}

function ownValue(value: unknown, key: string): unknown {
  const holds = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
  return holds ? Reflect.get(value, key) : undefined
}

function filled(schema: JsonSchema, { root, clues }: Pick<Work, 'root' | 'clues'>): unknown {
  return fill(schema, clues, { root, nodesMax }).value
}

/** Undefined if nothing repairs it. */
function repaired(current: unknown, problem: Problem, rule: SchemaObject, work: Work): unknown {
  const { keyword, params } = problem
  const detail = (name: string): unknown => Reflect.get(params, name)
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
    case 'dependencies':
      return withProperty(current, String(detail('missingProperty')), rule, work)
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'propertyNames': {
      const name = detail('additionalProperty') ?? detail('unevaluatedProperty')
      return withoutProperty(current, String(name ?? detail('propertyName')))
    }
    case 'if': {
      const added = filled(asSchema(rule[String(detail('failingKeyword'))]), work)
      return isRecord(current) && isRecord(added) ? { ...added, ...current } : undefined
    }
    case 'oneOf':
    case 'anyOf':
      return otherWay(schemasIn(rule[keyword]), detail('passingSchemas'), work)
    case 'not':
      return somethingElse(current)
    case 'contains':
      return Array.isArray(current) ? [...current, filled(asSchema(rule['contains']), work)] : []
    default: {
      // Another value that follows the rule, without any clues from the text.
      const type = Array.isArray(current) ? 'array' : typeof current
      const clues = findClues('', { now: work.clues.now })
      return filled({ type, ...rule }, { ...work, clues })
    }
  }
}

function withProperty(current: unknown, name: string, rule: SchemaObject, work: Work): unknown {
  if (!isRecord(current)) return undefined
  const schema = propertiesOf(rule).find(([own]) => own === name)?.[1] ?? true
  const object = { type: 'object', properties: { [name]: schema }, required: [name] }
  const found = filled(object, work)
  return { ...current, [name]: isRecord(found) ? found[name] : null }
}

function withoutProperty(current: unknown, name: string): unknown {
  if (!isRecord(current)) return undefined
  const { [name]: _gone, ...rest } = current
  return rest
}

/** If two alternatives match at once, the value is replaced by one for another alternative. */
function otherWay(ways: readonly JsonSchema[], passing: unknown, work: Work): unknown {
  const chosen = ways.find((_, index) => !Array.isArray(passing) || !passing.includes(index))
  return chosen === undefined ? undefined : filled(chosen, work)
}

function somethingElse(current: unknown): unknown {
  if (typeof current === 'number') return current + 1
  if (typeof current === 'string') return `${current}x`
  if (typeof current === 'boolean') return !current
  if (Array.isArray(current)) return current.slice(0, -1)
  if (isRecord(current)) return Object.fromEntries(Object.entries(current).slice(0, -1))
  return ''
}
