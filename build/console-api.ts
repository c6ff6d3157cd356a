// Makes packages/console/src/api/operations.ts of the gateway's OpenAPI document: `npm run console:api`.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOpenApi } from '../packages/server/src/openapi.ts'
import { addresses } from '../packages/server/src/routes.ts'

export const operationsFile = join(import.meta.dirname, '../packages/console/src/api/operations.ts')

type Schema = Readonly<Record<string, unknown>>

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >
}

/** What the console asks for besides the administration. */
const further = /^\/v1\/(?:models|usage(?:\/keys.*)?)$/

/** Types of what the console may ask and is answered, as a source file. Every schema stands where it is used. */
export function formatOperations(document: Schema): string {
  const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, Operation>>>>
  const found = Object.entries(paths)
    .filter(([path]) => path.startsWith('/admin/v1/') || further.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    )
  const types = found.map(({ operation }) => `  ${operation.operationId}: ${typeOf(operation)}`)
  const places = found.map(
    ({ path, method, operation }) =>
      `  ${operation.operationId}: ['${method.toUpperCase()}', '${path.slice(1)}'],`,
  )
  return [
    '// Made of the OpenAPI document by build/console-api.ts.',
    '',
    '/** What each operation is asked with, and what it answers. */',
    'export interface Operations {',
    ...types,
    '}',
    '',
    '/** Method and path, without the leading slash: the gateway may be below another path. */',
    'export const places = {',
    ...places,
    '} as const satisfies Record<keyof Operations, readonly [string, string]>',
    '',
  ].join('\n')
}

function typeOf({ parameters = [], requestBody, responses }: Operation): string {
  const inPlace = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema, required }) =>
        property(name, schema, place === 'path' || required === true),
      )
      .join('; ')
  const body = requestBody?.content['application/json']?.schema
  const reply = responses['200']?.content?.['application/json']?.schema
  const asked = [
    `path: { ${inPlace('path')} }`,
    `query: { ${inPlace('query')} }`,
    `body: ${body ? schemaType(body) : 'undefined'}`,
  ]
  return [
    '{',
    `    ${asked.join('; ')}`,
    `    reply: ${reply ? schemaType(reply) : 'unknown'}`,
    '  }',
  ].join('\n')
}

function property(name: string, schema: Schema, isRequired: boolean): string {
  const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
  return `${key}${isRequired ? '' : '?'}: ${schemaType(schema)}`
}

function schemaType(schema: Schema): string {
  if ('$ref' in schema)
    throw new Error(`${String(schema['$ref'])}: the console reads no components`)
  if ('const' in schema) return JSON.stringify(schema['const'])
  const { enum: values, anyOf, oneOf, type } = schema
  if (Array.isArray(values)) return union(values.map((value) => JSON.stringify(value)))
  const choices = anyOf ?? oneOf
  if (Array.isArray(choices)) return union(choices.map((choice: Schema) => schemaType(choice)))
  if (Array.isArray(type))
    return union(type.map((one: string) => schemaType({ ...schema, type: one })))
  return simpleType(String(type), schema)
}

function simpleType(type: string, schema: Schema): string {
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string' || type === 'boolean' || type === 'null') return type
  if (type === 'array') return `readonly (${schemaType((schema['items'] ?? {}) as Schema)})[]`
  if (type === 'object') return objectType(schema)
  return 'unknown'
}

function objectType({ properties, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries((properties ?? {}) as Readonly<Record<string, Schema>>).map(
    ([name, schema]) => property(name, schema, (required as readonly string[]).includes(name)),
  )
  const isOpen = typeof additionalProperties === 'object' && additionalProperties !== null
  const known = fields.length > 0 ? `{ ${fields.join('; ')} }` : undefined
  if (!isOpen) return known ?? 'Readonly<Record<string, unknown>>'
  const further = `Readonly<Record<string, ${schemaType(additionalProperties as Schema)}>>`
  return known === undefined ? further : `${known} & ${further}`
}

function union(types: readonly string[]): string {
  return types.length === 0 ? 'never' : [...new Set(types)].join(' | ')
}

if (import.meta.main) {
  const document = JSON.parse(JSON.stringify(createOpenApi(addresses))) as Schema
  writeFileSync(operationsFile, formatOperations(document))
}
