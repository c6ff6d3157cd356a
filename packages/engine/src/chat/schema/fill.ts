import type { Clues } from './clues.ts'
import { fillArray } from './fill-array.ts'
import { fillBoolean } from './fill-boolean.ts'
import type { FillContext } from './fill-context.ts'
import { fillEnum } from './fill-enum.ts'
import { fillNumber } from './fill-number.ts'
import { fillObject } from './fill-object.ts'
import { fillString } from './fill-string.ts'
import { type Found, impossible, invented } from './found.ts'
import {
  isRecord,
  type JsonSchema,
  merged,
  resolveReferences,
  type SchemaObject,
  schemasIn,
  typesOf,
} from './json-schema.ts'
import { describeProperty, type Property } from './property.ts'

const nodesUsual = 3000
/** Deeper than this nothing is filled any more: a schema that requires itself has no instance. */
const levelsMax = 40

export interface FillOptions {
  /** Values of the root's properties that are given. */
  readonly fixed?: Readonly<Record<string, unknown>>
  /** The document that references lead into; default: the schema itself. */
  readonly root?: JsonSchema
  /** Is filled with the names of required properties that had to be made up. */
  readonly unsaid?: Set<string>
  /** How many schemas may be visited; default 3,000. */
  readonly nodesMax?: number
}

/** An instance of a schema from what a text says; not yet checked. Undefined as a value where there can be none. */
export function fill(schema: JsonSchema, clues: Clues, options: FillOptions = {}): Found {
  const { fixed = {}, root = schema, unsaid = new Set(), nodesMax = nodesUsual } = options
  const used = new Set(Object.values(fixed).map((value) => String(value).toLowerCase()))
  const budget = { nodes: nodesMax }
  const travels = { root, clues, used, budget, unsaid }
  const context: FillContext = { ...travels, depth: 0, ancestors: [], fillNode }
  const found = fillNode(schema, describeProperty('', schema, true), context)
  if (Object.keys(fixed).length === 0 || !isRecord(found.value)) return found
  return { value: { ...found.value, ...fixed }, sure: 2 }
}

function fillNode(schema: JsonSchema, property: Property, outer: FillContext): Found {
  outer.budget.nodes -= 1
  if (outer.depth > levelsMax || outer.budget.nodes < 0) return impossible
  const resolved = resolveReferences(schema, outer.root)
  if (resolved === false) return impossible
  if (!isRecord(resolved)) return fillFree(property, outer)
  const context = { ...outer, ancestors: [...outer.ancestors, resolved] }
  const own = merged(resolved, context.root)
  if ('const' in own) return invented(own['const'])
  const values = own['enum']
  if (Array.isArray(values) && values.length > 0) return fillEnum(values, own, property, context)
  const ways = [...schemasIn(own['anyOf']), ...schemasIn(own['oneOf'])]
  if (ways.length > 0 && context.budget.nodes > 0) return fillUnion(ways, own, property, context)
  return fillTyped(own, property, context)
}

function fillTyped(schema: SchemaObject, property: Property, context: FillContext): Found {
  const types = typesOf(schema)
  const [first, ...others] = types.filter((type) => type !== 'null')
  if (first === undefined)
    return types.includes('null') ? invented(null) : fillFree(property, context)
  let best = fillType(first, schema, property, context)
  for (const type of others) {
    if (best.sure > 0) break
    const other = fillType(type, { ...schema, type }, property, context)
    if (other.sure > best.sure) best = other
  }
  // What nobody said is honestly null where the schema allows it.
  return best.sure === 0 && types.includes('null') ? invented(null) : best
}

function fillType(
  type: string,
  schema: SchemaObject,
  property: Property,
  context: FillContext,
): Found {
  switch (type) {
    case 'object':
      return fillObject(schema, context)
    case 'array':
      return fillArray(schema, property, context)
    case 'string':
      return fillString(schema, property, context)
    case 'number':
    case 'integer':
      return fillNumber({ ...schema, type }, property, context)
    case 'boolean':
      return fillBoolean(schema, property, context)
    default:
      return invented(null)
  }
}

/** Anything is allowed: a text where the request has one for it. */
function fillFree(property: Property, context: FillContext): Found {
  if (property.name === '') return invented({})
  const number = fillNumber({}, { ...property, required: false }, context)
  return number.sure === 2 ? number : fillString({}, property, context)
}

const waysMax = 12

/** The alternative that the text says most for; null only where nothing else is spoken of. */
function fillUnion(
  ways: readonly JsonSchema[],
  schema: SchemaObject,
  property: Property,
  context: FillContext,
): Found {
  const { anyOf: _any, oneOf: _one, ...beside } = schema
  let best: Found | undefined
  let unsaid: ReadonlySet<string> = new Set()
  let nullable = false
  for (const way of ways.slice(0, waysMax)) {
    const resolved = resolveReferences(way, context.root)
    if (isRecord(resolved) && resolved['type'] === 'null') {
      nullable = true
      continue
    }
    // An alternative that leads back here adds nothing.
    if (resolved === false || context.ancestors.includes(resolved)) continue
    const whole =
      isRecord(resolved) && Object.keys(beside).length > 0
        ? merged({ allOf: [beside, resolved] }, context.root)
        : resolved
    // Each alternative is tried on its own; what a rejected one took is free again.
    const ancestors = [...context.ancestors, resolved]
    const used = new Set(context.used)
    const own = new Set<string>()
    const attempt = fillNode(whole, property, {
      ...context,
      used,
      ancestors,
      unsaid: own,
      depth: context.depth + 1,
    })
    if (attempt.value === undefined) continue
    if (best === undefined || attempt.sure > best.sure) [best, unsaid] = [attempt, own]
  }
  if (nullable && (best === undefined || best.sure === 0)) return invented(null)
  for (const name of unsaid) context.unsaid.add(name)
  return best ?? impossible
}
