import type { IncomingMessage } from 'node:http'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import {
  assertDepth,
  GatewayError,
  invalidRequest,
  listOf,
  type UploadedFile,
} from '@sluice/contract'
import type { TObject } from 'typebox'
import { ArrivingBody, type BodyOwner } from './body.ts'

interface Part {
  readonly name: string
  readonly value: string | UploadedFile
}

const fieldsMax = 256
const fieldBytesMax = 1024 * 1024
/** Maximum length of a field that holds an object as JSON. */
const objectLengthMax = 16 * 1024

/**
 * Reads a whole form (RFC 7578). Text fields are converted to the types of the schema; files become their bytes. Parts may
 * come in any order. The limit applies to all bytes after decompression.
 */
export async function readForm(
  owner: BodyOwner,
  schema: TObject,
): Promise<Record<string, unknown>> {
  return toRequest(await readParts(owner), schema)
}

function readParts(owner: BodyOwner): Promise<readonly Part[]> {
  return new Promise((resolve, reject) => {
    const { raw: request } = owner.request
    const parts: Part[] = []
    const body = new ArrivingBody(owner)
    const { stream: source } = body
    let isOver = false
    const fail = (error: unknown) => {
      isOver = true
      source.unpipe()
      source.resume()
      body.stop()
      reject(error)
    }
    const broken = (cause: unknown) =>
      fail(new GatewayError('invalid_request', 'The form could not be read', { cause }))
    const parser = openParser(request, broken)
    if (!parser) return
    // A part may have no name, although the parser's types say otherwise.
    parser.on('field', (name: string | undefined, value, _nameTruncated, truncated) => {
      if (name === undefined) return
      if (truncated) fail(invalidRequest(`The field is longer than ${fieldBytesMax} bytes`, name))
      parts.push({ name, value })
    })
    parser.on('file', (...[name, stream, filename, , contentType]) => {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('error', broken)
      stream.on('end', () => {
        const bytes = Buffer.concat(pieces)
        const value = { filename: filename ?? '', contentType, bytes }
        if ((name as string | undefined) !== undefined) parts.push({ name, value })
      })
    })
    parser.on('fieldsLimit', () => fail(invalidRequest('The form has too many fields')))
    parser.on('filesLimit', () => fail(invalidRequest('The form has too many files')))
    parser.on('error', broken)
    parser.on('finish', () => resolve(parts))
    source.on('data', (piece: Buffer) => {
      if (isOver) return
      try {
        body.add(piece.length)
      } catch (error) {
        fail(error)
      }
    })
    source.on('error', broken)
    const endsEarly = (isWhole: boolean) => {
      if (!isWhole) broken(new Error('The form ended early'))
    }
    source.on('close', () => endsEarly(source.readableEnded))
    request.on('close', () => endsEarly(request.complete))
    source.pipe(parser)
  })
}

function openParser(
  { headers }: IncomingMessage,
  broken: (cause: unknown) => void,
): BusboyInstance | undefined {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      limits: { fields: fieldsMax, files: 32, fieldSize: fieldBytesMax, headerPairs: 64 },
    })
  } catch (error) {
    broken(error)
    return undefined
  }
}

interface FieldSchema {
  readonly type?: string
  readonly anyOf?: readonly FieldSchema[]
  readonly items?: FieldSchema
  readonly contentMediaType?: string
}

/**
 * `name[]` and `name[0]` are items of the list `name`; so is a bare name if the schema has a list, or if it is repeated and no schema
 * has the field.
 */
function toRequest(parts: readonly Part[], schema: TObject): Record<string, unknown> {
  const request: Record<string, unknown> = {}
  const required = new Set<string>(schema.required)
  for (const { name: written, value } of parts) {
    const name = written.replace(/\[\d*\]$/, '')
    // An input of a web page that was left empty says nothing.
    if (value === '' && !required.has(name)) continue
    const field = narrowed((schema.properties as Record<string, FieldSchema>)[name], value)
    if (field?.type === 'array') {
      const list = request[name]
      const item =
        typeof value === 'string' ? convert(value, narrowed(field.items, value), name) : value
      if (Array.isArray(list)) list.push(item)
      else request[name] = [item]
    } else if (name === '__proto__') {
      continue
    } else if (field === undefined && (name !== written || Object.hasOwn(request, name))) {
      const before = request[name] ?? []
      request[name] = [...(Array.isArray(before) ? listOf(before) : [before]), value]
    } else {
      request[name] = typeof value === 'string' ? convert(value, field, name) : value
    }
  }
  return request
}

/** For a union, the branch that this kind of part can become. */
function narrowed(field: FieldSchema | undefined, value: unknown): FieldSchema | undefined {
  if (!field?.anyOf) return field
  const branches = field.anyOf.filter(({ type }) => type !== 'null')
  if (typeof value !== 'string')
    return branches.find(({ contentMediaType }) => contentMediaType !== undefined) ?? branches[0]
  return branches.find(({ type }) => type === 'string') ?? branches[0]
}

/** A text that cannot be converted stays a text; validation then reports the field. */
function convert(text: string, field: FieldSchema | undefined, name: string): unknown {
  switch (field?.type) {
    case 'integer':
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
    case 'boolean':
      return text === 'true' || text === '1'
        ? true
        : text === 'false' || text === '0'
          ? false
          : text
    case 'object':
      return parsed(text, name)
    default:
      return text
  }
}

function parsed(text: string, name: string): unknown {
  if (text.length > objectLengthMax)
    throw invalidRequest(`The field is longer than ${objectLengthMax} characters`, name)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  assertDepth(value, name)
  return value
}
