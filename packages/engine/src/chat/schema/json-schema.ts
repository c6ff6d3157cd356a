import { holdsMore } from '../request-size.ts'

/** A JSON Schema as callers send it: it may contain anything. */
export type JsonSchema = boolean | SchemaObject
export type SchemaObject = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `true` if there is no schema. */
export function asSchema(value: unknown): JsonSchema {
  return typeof value === 'boolean' || isRecord(value) ? value : true
}

export function schemasIn(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.map(asSchema) : []
}

export function numberIn(schema: SchemaObject, key: string): number | undefined {
  const value = schema[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

export function textIn(schema: SchemaObject, key: string): string | undefined {
  const value = schema[key]
  return typeof value === 'string' ? value : undefined
}

export function propertiesOf(schema: SchemaObject): readonly (readonly [string, JsonSchema])[] {
  const properties = schema['properties']
  return isRecord(properties)
    ? Object.entries(properties).map(([name, value]) => [name, asSchema(value)] as const)
    : []
}

export function requiredOf(schema: SchemaObject): readonly string[] {
  const required = schema['required']
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}

const keywordsOf: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ['object', ['properties', 'additionalProperties', 'required', 'patternProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'contains']],
  ['string', ['pattern', 'minLength', 'maxLength', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
]

/** The types that a schema allows, stated or inferred from its keywords. */
export function typesOf(schema: SchemaObject): readonly string[] {
  const { type } = schema as { readonly type?: unknown }
  if (type !== undefined) return [type].flat().filter((name) => typeof name === 'string')
  const guess = keywordsOf.find(([, keywords]) => keywords.some((key) => key in schema))
  return guess === undefined ? [] : [guess[0]]
}

/** A schema with its references resolved and its `allOf` merged; empty for a schema that is not an object. */
export function plainSchema(schema: JsonSchema, root: JsonSchema): SchemaObject {
  const resolved = resolveReferences(schema, root)
  return isRecord(resolved) ? merged(resolved, root) : {}
}

const nodesMax = 5000

/** Whether a schema is small enough to work with. */
export function isBounded(schema: unknown): boolean {
  return !holdsMore(schema, nodesMax)
}

const hopsMax = 32

/** Resolves `$ref` within the same document (JSON pointer or `#`). An invalid reference allows anything. */
export function resolveReferences(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let current = schema
  for (let hops = 0; hops < hopsMax; hops++) {
    if (!isRecord(current)) return current
    const reference = textIn(current, '$ref')
    if (reference === undefined) return current
    const target = lookUp(reference, root)
    if (target === undefined) return true
    const { $ref: _ref, ...beside } = current
    current =
      Object.keys(beside).length === 0 || !isRecord(target) ? target : { ...target, ...beside }
  }
  return true
}

function lookUp(reference: string, root: JsonSchema): JsonSchema | undefined {
  if (reference === '#' || reference === '') return root
  const pointer = reference.slice(reference.indexOf('#') + 1)
  if (!pointer.startsWith('/')) return undefined
  let value: unknown = root
  for (const raw of pointer.slice(1).split('/')) {
    const key = raw.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = Reflect.get(value, key)
  }
  return asSchema(value)
}

/** One schema that combines a schema with all of its `allOf`, as far as they can be combined. */
export function merged(schema: SchemaObject, root: JsonSchema, depth = 0): SchemaObject {
  const parts = schemasIn(schema['allOf'])
  if (parts.length === 0 || depth > 8) return schema
  let result: Record<string, unknown> = { ...schema }
  delete result['allOf']
  for (const part of parts) {
    const resolved = resolveReferences(part, root)
    if (isRecord(resolved)) result = combine(result, merged(resolved, root, depth + 1))
  }
  return result
}

function combine(
  left: Readonly<Record<string, unknown>>,
  right: SchemaObject,
): Record<string, unknown> {
  const properties: Record<string, unknown> = Object.fromEntries(propertiesOf(left))
  for (const [name, schema] of propertiesOf(right)) {
    const before = properties[name]
    properties[name] = isRecord(before) && isRecord(schema) ? combine(before, schema) : schema
  }
  const result: Record<string, unknown> = { ...left, ...right }
  if (Object.keys(properties).length > 0) result['properties'] = properties
  const required = [...new Set([...requiredOf(left), ...requiredOf(right)])]
  if (required.length > 0) result['required'] = required
  return result
}
