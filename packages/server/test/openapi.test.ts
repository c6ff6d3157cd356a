import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, expect, test } from 'vitest'
import { granted } from '../../../test/support/administrate.ts'
import { lint } from '../../../test/support/formats/openapi.ts'
import { start } from '../../../test/support/start.ts'
import { operations } from '../../contract/src/operations/index.ts'
import { formats as allFormats } from '../../protocols/src/formats.ts'
import { contractedElsewhere } from '../src/not-implemented.ts'
import { createOpenApi } from '../src/openapi.ts'
import { addresses, installRoutes } from '../src/routes.ts'

// Those that translate: the operations' own say the canonical form itself.
const formats = allFormats.filter(({ isOwn }) => isOwn !== true)

interface Document {
  readonly paths: Record<string, Record<string, PathOperation>>
  readonly components: { readonly schemas: Record<string, object> }
}

interface PathOperation {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[]
  readonly requestBody?: {
    content: Record<string, { schema: { $ref?: string }; example?: unknown }>
  }
  readonly responses: Record<string, object>
}

let document: Document

beforeAll(() => {
  document = JSON.parse(JSON.stringify(createOpenApi(addresses)))
})

test('passes a public linter', () => {
  expect(lint(document).problems).toEqual([])
})

test('the linter detects mistakes', () => {
  const broken = { ...document, paths: { '/x': { get: { responses: { 200: {} } } } } }
  expect(lint(broken).problems).toContainEqual(expect.stringContaining('description'))
})

test('lists every path of operations and client formats', () => {
  const wanted = [
    ...Object.values(operations).flatMap(({ method, paths }) =>
      paths.map((path) => `${method} ${path}`),
    ),
    ...formats.flatMap(({ paths }) => paths.map((path) => `POST ${path}`)),
  ]
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(described).toEqual(expect.arrayContaining(wanted))
})

/** All that goes on after a model shares one address. */
const shared = (path: string) => path.replace(/\{(?:model|deployment)\}[:/].+$/, '{verb}')

test('describes exactly the paths that the server answers', () => {
  // OpenAI's addresses without their /v1, or with two, are those with one.
  const same = new Set(addresses.map(({ path }) => shared(path).replace('/v1/', '/')))
  const versions = new Set(addresses.map(({ path }) => shared(path)))
  const served = installRoutes()
    .filter(({ path }) => versions.has(path) || !(same.has(path) || path.startsWith('/v1/v1/')))
    // Gemini's once more, for clients that leave `models/` out.
    .filter(({ path }) => !/^\/v1(?:beta|alpha)\/\{verb\}$/.test(path))
    .filter(
      // And without what browsers alone are led to.
      (address) =>
        !contractedElsewhere.includes(address) &&
        !/^\/(?:docs|assets|admin\/v1\/session\/oidc)/.test(address.path),
    )
    .map(({ method, path }) => `${method} ${path}`)
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${shared(path)}`),
  )
  expect([...new Set(described)].sort()).toEqual([...new Set(served)].sort())
})

test('form schemas have files and no nulls, JSON schemas have no files', () => {
  const form = JSON.stringify(document.components.schemas['TranscribeForm'])
  expect(form).toContain('"file":{"type":"string","format":"binary"}')
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const text = JSON.stringify(schema)
    if (name.endsWith('Form')) expect(name + text).not.toContain('"null"')
    if (name.endsWith('Request')) expect(name + text).not.toMatch(/binary|octet-stream/)
  }
})

test('every example matches its schema', () => {
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema(document, 'document')
  const verdicts = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ requestBody, operationId }) =>
      Object.values(requestBody?.content ?? {}).map((content) => ({ operationId, ...content })),
    )
    .filter(({ example }) => example !== undefined)
    .map(({ operationId, schema, example }) => {
      const check = schema.$ref ? ajv.getSchema(`document${schema.$ref}`) : ajv.compile(schema)
      return { operationId, accepted: check?.(example), errors: check?.errors ?? null }
    })
  expect(verdicts.length).toBeGreaterThan(5)
  for (const verdict of verdicts)
    expect(verdict).toEqual({ operationId: verdict.operationId, accepted: true, errors: null })
})

/** Every address of the administration with what it is described by. */
function administration() {
  return Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/admin/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    )
}

test('describes the administration API with summaries, parameters, examples and answers', () => {
  expect(administration().length).toBeGreaterThan(50)
  for (const { path, method, operation } of administration()) {
    const place = `${method} ${path}`
    expect(operation.summary, place).toMatch(/^[A-Z]/)
    for (const { name, description } of operation.parameters ?? [])
      expect(description, `${place}: ${name}`).toMatch(/\S/)
    for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g))
      expect(
        operation.parameters?.map((one) => one.name),
        place,
      ).toContain(name)
    for (const content of Object.values(operation.requestBody?.content ?? {}))
      expect(content, place).toHaveProperty('example')
    expect(operation.responses['200'], place).toHaveProperty('content')
    const changes = method !== 'get' && !/usage|session|explain/.test(path)
    if (changes) expect(Object.keys(operation.responses), place).toContain('409')
  }
})

test('a gateway accepts the examples of the administration API', async () => {
  await using gateway = await start()
  const bodyOf = (path: string, method: string) =>
    document.paths[path]?.[method]?.requestBody?.content['application/json']?.example as object
  for (const kind of ['organizations', 'teams', 'users', 'keys']) {
    const path = `/admin/v1/${kind}`
    const { id } = await granted(gateway, `POST ${path}`, bodyOf(path, 'post'))
    await granted(gateway, `PATCH ${path}/${String(id)}`, bodyOf(`${path}/{id}`, 'patch'))
    if (kind === 'keys')
      await granted(
        gateway,
        `POST ${path}/${String(id)}/rotate`,
        bodyOf(`${path}/{id}/rotate`, 'post'),
      )
  }
})

test('an error has four keys, of which param and code may be null', () => {
  expect(document.components.schemas['Error']).toEqual({
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['message', 'type', 'param', 'code'],
        properties: {
          message: { type: 'string' },
          type: { type: 'string' },
          param: { type: ['string', 'null'] },
          code: { type: ['string', 'null'] },
        },
      },
    },
  })
})
