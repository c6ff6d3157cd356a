import { spelledOut } from '../text/json-facts.ts'
import {
  deeper,
  depthMax,
  describeProperty,
  type FillContext,
  type Found,
  fillInside,
  invented,
  type Property,
  stated,
} from './fill-context.ts'
import {
  asSchema,
  isRecord,
  type JsonSchema,
  numberIn,
  plainSchema,
  propertiesOf,
  requiredOf,
  type SchemaObject,
  typesOf,
} from './json-schema.ts'
import { kinds } from './kinds.ts'
import { nounPhrases } from './phrases.ts'

const propertiesMax = 500

/** An object with all required properties, and with optional ones that the text mentions. */
export function fillObject(schema: SchemaObject, _own: Property, context: FillContext): Found {
  const required = new Set(requiredOf(schema))
  const known = propertiesOf(schema).slice(0, propertiesMax)
  const names = new Set(known.map(([name]) => name))
  // A required name without a schema of its own follows the schema of additional properties.
  const beneath = isRecord(schema['additionalProperties']) ? schema['additionalProperties'] : true
  const missing = [...required].filter((name) => !names.has(name))
  const entries = [...known, ...missing.map((name) => [name, beneath] as const)]
  const values = new Map<string, unknown>()
  let best: Found['sure'] = 0
  for (const [name, property] of ranked(entries, context)) {
    const isNeeded = required.has(name)
    if (!isNeeded && (context.depth > depthMax / 2 || context.budget.nodes <= 0)) continue
    const described = describeProperty(name, property, isNeeded)
    const found = context.fillNode(property, described, deeper(context))
    if (found.value !== undefined && (isNeeded || found.sure > 0)) values.set(name, found.value)
    if (isNeeded && found.sure === 0 && isMadeUp(found.value, name, property, context))
      context.unsaid.add(name)
    if (found.sure > best) best = found.sure
  }
  const own = entries.filter(([name]) => values.has(name))
  const value = Object.fromEntries(own.map(([name]) => [name, values.get(name)]))
  if (entries.length > 0) return { value: grown(value, schema, context), sure: best }
  const free = freeEntries(schema, context)
  return Object.keys(free).length > 0 ? stated(free) : invented(grown(free, schema, context))
}

/** Labels of values that are copied letter by letter, so that a phrase of the text cannot be one. */
const formalLabel = /\b(?:path|file|directory|folder|url|uri|id|code|command|key|token|hash)\b/

/** Labels of properties for which the whole request is the value. */
const wholeLabel = /query|question|search|prompt|topic|^q$|^input$/i

/** Whether an invented value is neither offered by the schema nor a phrase of the text. */
function isMadeUp(
  value: unknown,
  name: string,
  property: JsonSchema,
  { root, clues, isStrict }: FillContext,
): boolean {
  const own = plainSchema(property, root)
  if ('const' in own || 'enum' in own || 'default' in own) return false
  // An object's own properties were checked when it was filled.
  if (value === null || typeof value === 'boolean' || isRecord(value)) return false
  if (typeof value === 'string' && wholeLabel.test(name)) return false
  const label = spelledOut(name).toLowerCase()
  if (typeof value !== 'string' || formalLabel.test(label)) return true
  // A value of this kind would have been found in the text.
  if (kinds.some((kind) => kind.label.test(label))) return true
  const phrases = nounPhrases(clues.text)
  const meant = isStrict && phrases.length > 1 ? [] : phrases
  return ![...meant, ...clues.quoted.map((span) => span.text)].includes(value)
}

const ranks: Readonly<Record<string, number>> = { array: 2, object: 3, string: 4 }

/** The properties that are easiest to recognize come first, so that plain texts get what is left. */
function ranked(
  entries: readonly (readonly [string, JsonSchema])[],
  { root }: FillContext,
): readonly (readonly [string, JsonSchema])[] {
  const rankOf = (schema: JsonSchema): number => {
    const own = plainSchema(schema, root)
    if ('const' in own || 'enum' in own) return 0
    if ('format' in own || 'pattern' in own) return 1
    const [type] = typesOf(own).filter((name) => name !== 'null')
    return ranks[type ?? ''] ?? 1
  }
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry[1]) }))
    .sort((left, right) => left.rank - right.rank)
    .map(({ entry }) => entry)
}

const freeMax = 50

/** For an object that allows any names: the pairs of the text. */
function freeEntries(schema: SchemaObject, context: FillContext): Record<string, unknown> {
  const beneath = asSchema(schema['additionalProperties'])
  if (beneath === false || context.depth > depthMax) return {}
  const entries = [...context.clues.pairs].slice(0, freeMax).map(([name, text]) => {
    if (beneath === true) return [name, text] as const
    return [name, fillInside(beneath, name, context).value] as const
  })
  return Object.fromEntries(entries)
}

/** Adds properties up to the required number. */
function grown(
  value: Readonly<Record<string, unknown>>,
  schema: SchemaObject,
  context: FillContext,
): Readonly<Record<string, unknown>> {
  const beneath = asSchema(schema['additionalProperties'])
  const count = Math.min(numberIn(schema, 'minProperties') ?? 0, 1000) - Object.keys(value).length
  if (count <= 0 || beneath === false) return value
  const added = Array.from({ length: count }, (_, index) => {
    const name = `property${index + 1}`
    return [name, fillInside(beneath, name, context).value]
  })
  return { ...value, ...Object.fromEntries(added) }
}
