import type { IncomingMessage } from 'node:http'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { assertDepth, GatewayError, invalidRequest, type UploadedFile } from '@sluice/contract'
import type { TObject } from 'typebox'
import { ArrivingBody, type BodyLimits } from './body.ts'

interface Part {
  readonly name: string
  readonly value: string | UploadedFile
}

const fieldsMax = 256
const fieldBytesMax = 1024 * 1024
/** Of a field that is an object, written as JSON: there may be many of them. */
const objectLengthMax = 16 * 1024

/**
 * Reads a form whole (RFC 7578): text fields become what the schema says of them, files their bytes. Parts may come in
 * any order, the file before the model too. The limit counts all bytes after decompression.
 */
export async function readForm(
  request: IncomingMessage,
  schema: TObject,
  limits: BodyLimits,
): Promise<Record<string, unknown>> {
  return toRequest(await readParts(request, limits), schema)
}

function readParts(request: IncomingMessage, limits: BodyLimits): Promise<readonly Part[]> {
  return new Promise((resolve, reject) => {
    const parts: Part[] = []
    const body = new ArrivingBody(request, limits)
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
    // A part may come without a name, whatever the parser's types say.
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

/** `name[]` and `name[0]` are items of the list `name`; a bare name is read as one as well where the schema has a list. */
function toRequest(parts: readonly Part[], schema: TObject): Record<string, unknown> {
  const request: Record<string, unknown> = {}
  for (const { name: written, value } of parts) {
    const name = written.replace(/\[\d*\]$/, '')
    const field = narrowed((schema.properties as Record<string, FieldSchema>)[name], value)
    if (field?.type === 'array') {
      const list = request[name]
      const item =
        typeof value === 'string' ? convert(value, narrowed(field.items, value), name) : value
      if (Array.isArray(list)) list.push(item)
      else request[name] = [item]
    } else if (name !== '__proto__') {
      request[name] = typeof value === 'string' ? convert(value, field, name) : value
    }
  }
  return request
}

/** Of a union, the branch that this kind of part can become. */
function narrowed(field: FieldSchema | undefined, value: unknown): FieldSchema | undefined {
  if (!field?.anyOf) return field
  const branches = field.anyOf.filter(({ type }) => type !== 'null')
  if (typeof value !== 'string')
    return branches.find(({ contentMediaType }) => contentMediaType !== undefined) ?? branches[0]
  return branches.find(({ type }) => type === 'string') ?? branches[0]
}

/** A text that does not fit stays a text, and the schema then names the field. */
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
