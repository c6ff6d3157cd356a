import { depthMax, type FillContext } from './fill-context.ts'
import { type Found, guessed, invented, said } from './found.ts'
import {
  asSchema,
  isRecord,
  type JsonSchema,
  merged,
  propertiesOf,
  requiredOf,
  resolveReferences,
  type SchemaObject,
  textIn,
  typesOf,
} from './json-schema.ts'
import { spelledOut } from '../text/json-facts.ts'
import { cues } from './cues.ts'
import { nounPhrases } from './phrases.ts'
import { describeProperty } from './property.ts'

const propertiesMax = 500

/** An object: required properties always, optional ones where the text speaks of them. */
export function fillObject(schema: SchemaObject, context: FillContext): Found {
  const required = new Set(requiredOf(schema))
  const known = propertiesOf(schema).slice(0, propertiesMax)
  const missing = [...required].filter((name) => !known.some(([other]) => other === name))
  const entries: readonly (readonly [string, JsonSchema])[] = [
    ...known,
    ...missing.map((name) => [name, beyond(schema, name)] as const),
  ]
  const inner = { ...context, depth: context.depth + 1 }
  const values = new Map<string, unknown>()
  let spoken = 0
  let guesses = 0
  const ordered = entries
    .map((entry, place) => ({ entry, place, rank: rankOf(entry[1], context) }))
    .sort((left, right) => left.rank - right.rank || left.place - right.place)
  for (const { entry } of ordered) {
    const [name, property] = entry
    const needed = required.has(name)
    if (!needed && (context.depth > depthMax / 2 || context.budget.nodes <= 0)) continue
    const found = context.fillNode(property, describeProperty(name, property, needed), inner)
    if (found.value !== undefined && (needed || found.sure > 0)) values.set(name, found.value)
    if (needed && found.sure === 0 && isMadeUp(found.value, name, property, context))
      context.unsaid.add(name)
    if (found.sure === 2) spoken += 1
    if (found.sure === 1) guesses += 1
  }
  const value = Object.fromEntries(
    entries.filter(([name]) => values.has(name)).map(([name]) => [name, values.get(name)]),
  )
  const full =
    known.length === 0 && missing.length === 0
      ? { ...value, ...freeEntries(schema, context) }
      : value
  if (spoken > 0 || (known.length === 0 && Object.keys(full).length > 0)) return said(full)
  return guesses > 0 ? guessed(full) : invented(full)
}

/** Labels of values that are copied letter by letter: a phrase of the text is none. */
const formalLabel = /\b(?:path|file|directory|folder|url|uri|id|code|command|key|token|hash)\b/

/** The request as a whole is what such a property wants. */
const wholeLabel = /query|question|search|prompt|topic|^q$|^input$/i

/** Whether an invented value is more than one of those that the schema itself offers, or a phrase of the text. */
function isMadeUp(
  value: unknown,
  name: string,
  property: JsonSchema,
  { root, clues }: FillContext,
): boolean {
  const resolved = resolveReferences(property, root)
  const own = isRecord(resolved) ? merged(resolved, root) : {}
  if ('const' in own || 'enum' in own || 'default' in own) return false
  // An object's own properties were looked at when it was filled.
  if (value === null || typeof value === 'boolean' || isRecord(value)) return false
  if (typeof value === 'string' && wholeLabel.test(name)) return false
  if (typeof value !== 'string' || formalLabel.test(spelledOut(name).toLowerCase())) return true
  // A label that has ways of its own to be found in a text was not found.
  if (cues.some(({ label }) => label.test(spelledOut(name).toLowerCase()))) return true
  return ![...nounPhrases(clues.text), ...clues.quoted.map((span) => span.text)].includes(value)
}

/** A required name without a schema of its own is ruled by the patterns and by what else may stand there. */
function beyond(schema: SchemaObject, _name: string): JsonSchema {
  return isRecord(schema['additionalProperties']) ? asSchema(schema['additionalProperties']) : true
}

/** What is told apart most easily is sought first, so that plain texts get what is left. */
function rankOf(schema: JsonSchema, context: FillContext): number {
  const resolved = resolveReferences(schema, context.root)
  if (!isRecord(resolved)) return 5
  const own = merged(resolved, context.root)
  if ('const' in own || 'enum' in own) return 0
  const [type] = typesOf(own).filter((name) => name !== 'null')
  if (type === 'string')
    return textIn(own, 'format') !== undefined || textIn(own, 'pattern') !== undefined ? 1 : 4
  return type === 'array' ? 2 : type === 'object' ? 3 : 1
}

const freeMax = 50

/** An object that may hold any name: the pairs of the text. */
function freeEntries(schema: SchemaObject, context: FillContext): Record<string, unknown> {
  if (schema['additionalProperties'] === false || context.depth > depthMax) return {}
  const beneath = asSchema(schema['additionalProperties'])
  const entries = [...context.clues.pairs].slice(0, freeMax).map(([name, text]) => {
    if (beneath === true) return [name, text] as const
    const found = context.fillNode(beneath, describeProperty(name, beneath, true), {
      ...context,
      depth: context.depth + 1,
    })
    return [name, found.value] as const
  })
  return Object.fromEntries(entries)
}
