import { type Fields, isObject, listOf, objectOf } from '@sluice/contract'
import { chatFamily } from '../families/chat-models.ts'
import { knownClaude } from '../families/claude.ts'
import type { Reports } from '../native-target.ts'

/**
 * What an API refuses at the top of a tool's schema if that must be one object: OpenAI's (function calling), Anthropic's ("input_schema
 * does not support oneOf, allOf, or anyOf at the top level": anomalyco/opencode#38616), Google's ("must describe an object where
 * the properties are the parameters": FunctionDeclaration) and Cohere's (structured outputs, unsupported schema features).
 */
const refusedAtTop = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', '$ref'] as const

/** What loses nothing when it is written out. */
const writtenOut: ReadonlySet<string> = new Set(['allOf', '$ref'])

/** Whether the API that a model is served by wants one object, whatever upstream passes requests on to it. */
export function wantsObject(family: string): boolean {
  return chatFamily(family).isOpenAIs === true || knownClaude(family) !== undefined
}

export function isCombined(schema: unknown): boolean {
  return isObject(schema) && refusedAtTop.some((name) => schema[name] !== undefined)
}

/**
 * A tool's schema as one object with the members of all its alternatives, of which it demands what each of them demands. What is
 * lost is reported: which members exclude each other. The same schema if it is one object. `path` is the schema's.
 */
export function objectSchema(
  schema: Fields,
  path: string,
  { leftOut }: Pick<Reports, 'leftOut'>,
): Fields {
  if (!isCombined(schema)) return schema
  for (const name of refusedAtTop)
    if (schema[name] !== undefined && !writtenOut.has(name))
      leftOut(`${path}.${name}`, 'a schema is one object here')
  return merged(schema, schema, levelsMax)
}

/** Alternatives of alternatives that are followed, so that references cannot lead in a circle. */
const levelsMax = 8

function merged(given: Fields, root: Fields, levels: number): Fields {
  const schema = { ...objectOf(resolved(given, root)), ...given }
  const { anyOf, oneOf, allOf, not: _not, enum: _enum, $ref: _ref, required: own, ...rest } = schema
  const inner = (list: unknown): readonly Fields[] =>
    levels === 0
      ? []
      : listOf(list)
          .map((one) => resolved(one, root))
          .filter(isObjects)
          .map((one) => merged(one, root, levels - 1))
  const all = inner(allOf)
  const choices = [inner(anyOf), inner(oneOf)].filter((list) => list.length > 0)
  const properties = joined([
    propertiesOf(rest),
    ...all.map(propertiesOf),
    ...choices.flat().map(propertiesOf),
  ])
  const required = new Set([...listOf(own), ...all.flatMap(requiredOf), ...choices.flatMap(ofEach)])
  const isClosed =
    choices.length > 0 && choices.every((list) => list.every(isClosedObject)) && all.length === 0
  return {
    ...rest,
    type: isObjectType(rest['type']) ? rest['type'] : 'object',
    properties,
    ...(required.size === 0 ? {} : { required: [...required] }),
    ...(isClosed ? { additionalProperties: false } : {}),
    // With the members of others, a closed part would refuse them.
    ...(!isClosed && all.length > 0 && rest['additionalProperties'] === false
      ? { additionalProperties: false }
      : {}),
  }
}

/** A part of the schema that is given by its name. */
function resolved(schema: unknown, root: Fields): unknown {
  const reference = objectOf(schema)['$ref']
  const [, place, name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(reference)) ?? []
  return place === undefined ? schema : objectOf(root[place])[decodeURIComponent(name)]
}

/** Alternatives that are no objects cannot be the arguments of a call. */
function isObjects(schema: unknown): schema is Fields {
  return isObject(schema) && isObjectType(schema['type'] ?? 'object')
}

/** Google's own schemas have their types in capitals. */
function isObjectType(type: unknown): boolean {
  return type === 'object' || type === 'OBJECT'
}

function propertiesOf({ properties }: Fields): Fields {
  return objectOf(properties)
}

function requiredOf({ required }: Fields): readonly unknown[] {
  return listOf(required)
}

function isClosedObject({ additionalProperties: more }: Fields): boolean {
  return more === false
}

/** What all of the alternatives demand. */
function ofEach(list: readonly Fields[]): readonly unknown[] {
  const [first = {}, ...others] = list
  return requiredOf(first).filter((name) => others.every((one) => requiredOf(one).includes(name)))
}

/** Members of the same name that differ are alternatives. */
function joined(lists: readonly Fields[]): Fields {
  const found = new Map<string, unknown[]>()
  for (const [name, schema] of lists.flatMap((list) => Object.entries(list))) {
    const known = found.get(name) ?? []
    const text = JSON.stringify(schema)
    if (!known.some((one) => JSON.stringify(one) === text)) known.push(schema)
    found.set(name, known)
  }
  return Object.fromEntries(
    [...found].map(([name, schemas]) => [
      name,
      schemas.length === 1 ? schemas[0] : { anyOf: schemas },
    ]),
  )
}

/** A declaration with such a schema. `path` is that of the declaration. */
export function withObjectSchema<T extends { readonly parameters?: Fields | null }>(
  declared: T,
  path: string,
  reports: Pick<Reports, 'leftOut'>,
): T {
  const { parameters } = declared
  if (parameters == null || !isCombined(parameters)) return declared
  return { ...declared, parameters: objectSchema(parameters, `${path}.parameters`, reports) }
}

/** Whether OpenAI enforces a schema: all members are demanded, and there are no others. */
function mayBeStrict({ properties, required, additionalProperties: more }: Fields): boolean {
  const demanded = listOf(required)
  return (
    more === false && Object.keys(objectOf(properties)).every((name) => demanded.includes(name))
  )
}

/** A declaration of OpenAI's with such a schema, which is then enforced only if it can be. `path` is that of the declaration. */
export function objectDeclaration<T extends object>(
  declared: T,
  path: string,
  reports: Pick<Reports, 'leftOut'>,
): T {
  const { parameters, strict } = declared as Fields
  if (!isObject(parameters) || !isCombined(parameters)) return declared
  const schema = objectSchema(parameters, `${path}.parameters`, reports)
  const loses = strict === true && !mayBeStrict(schema)
  if (loses) reports.leftOut(`${path}.strict`, 'alternatives cannot be enforced here')
  return { ...declared, parameters: schema, ...(loses ? { strict: false } : {}) }
}
