import type { Clues } from './clues.ts'
import { fillArray } from './fill-array.ts'
import { fillBoolean, fillEnum } from './fill-choice.ts'
import {
  describeProperty,
  type FillContext,
  type Found,
  impossible,
  invented,
  type Property,
} from './fill-context.ts'
import { fillNumber } from './fill-number.ts'
import { fillObject } from './fill-object.ts'
import { fillString } from './fill-string.ts'
import {
  isRecord,
  type JsonSchema,
  merged,
  resolveReferences,
  type SchemaObject,
  schemasIn,
  typesOf,
} from './json-schema.ts'

const nodesUsual = 3000
/** Nothing deeper than this is filled: a schema that requires itself has no instance. */
const levelsMax = 40

interface FillOptions {
  /** The document that references point into. Default: the schema itself. */
  readonly root?: JsonSchema
  /** Receives the names of required properties whose values had to be invented. */
  readonly unsaid?: Set<string>
  /** Whether phrases that the text does not assign to a property count as invented. Default false. */
  readonly isStrict?: boolean
  /** Maximum schemas to visit. Default 3,000. */
  readonly nodesMax?: number
}

/** An instance of a schema from the contents of a text; not validated yet. The value is undefined if there is no instance. */
export function fill(schema: JsonSchema, clues: Clues, options: FillOptions = {}): Found {
  const { root = schema, unsaid = new Set(), nodesMax = nodesUsual, isStrict = false } = options
  const budget = { nodes: nodesMax }
  const travels = { root, clues, used: new Set<string>(), budget, unsaid, isStrict }
  const context: FillContext = { ...travels, depth: 0, ancestors: [], fillNode }
  return fillNode(schema, describeProperty('', schema, true), context)
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

/** Of several types, the first for which the text gives a value; otherwise null if the schema allows it. */
function fillTyped(schema: SchemaObject, property: Property, context: FillContext): Found {
  const types = typesOf(schema)
  if (types.length === 0) return fillFree(property, context)
  let best: Found | undefined
  for (const type of types.filter((name) => name !== 'null')) {
    if (best !== undefined && best.sure > 0) break
    const found = fills.get(type)?.({ ...schema, type }, property, context) ?? invented(null)
    if (best === undefined || found.sure > best.sure) best = found
  }
  return best === undefined || (best.sure === 0 && types.includes('null')) ? invented(null) : best
}

type Fill = (schema: SchemaObject, property: Property, context: FillContext) => Found

const fills: ReadonlyMap<string, Fill> = new Map([
  ['object', fillObject],
  ['array', fillArray],
  ['string', fillString],
  ['number', fillNumber],
  ['integer', fillNumber],
  ['boolean', fillBoolean],
])

/** Any value is allowed: a text if the request has one for it. */
function fillFree(property: Property, context: FillContext): Found {
  if (property.name === '') return invented({})
  const number = fillNumber({}, { ...property, required: false }, context)
  return number.sure === 2 ? number : fillString({}, property, context)
}

const waysMax = 12

/** The alternative for which the text says most; null only if the text says nothing for the others. */
function fillUnion(
  ways: readonly JsonSchema[],
  { anyOf: _any, oneOf: _one, ...beside }: SchemaObject,
  property: Property,
  context: FillContext,
): Found {
  let best: { readonly found: Found; readonly unsaid: ReadonlySet<string> } | undefined
  const resolved = ways.slice(0, waysMax).map((way) => resolveReferences(way, context.root))
  for (const way of resolved) {
    // An alternative that leads back here adds nothing.
    if (way === false || isNull(way) || context.ancestors.includes(way)) continue
    const whole =
      isRecord(way) && Object.keys(beside).length > 0
        ? merged({ allOf: [beside, way] }, context.root)
        : way
    const unsaid = new Set<string>()
    // Each alternative is tried separately; values used by a rejected one become free again.
    const found = fillNode(whole, property, {
      ...context,
      used: new Set(context.used),
      ancestors: [...context.ancestors, way],
      unsaid,
      depth: context.depth + 1,
    })
    if (found.value !== undefined && (best === undefined || found.sure > best.found.sure))
      best = { found, unsaid }
  }
  if (resolved.some(isNull) && (best === undefined || best.found.sure === 0)) return invented(null)
  for (const name of best?.unsaid ?? []) context.unsaid.add(name)
  return best?.found ?? impossible
}

function isNull(schema: JsonSchema): boolean {
  return isRecord(schema) && schema['type'] === 'null'
}
