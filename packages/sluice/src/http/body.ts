import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib'
import { GatewayError, invalidRequest, isRawNumber, parseJson } from '@sluice/contract'

const decoders = new Map<string, () => NodeJS.ReadWriteStream>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
])

/** The body without its content encoding (RFC 9110, 8.4.1; zstd: RFC 8878). Unknown encodings are the caller's 400. */
export function decoded(request: IncomingMessage): Readable {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === undefined || encoding === '' || encoding === 'identity') return request
  const decoder = decoders.get(encoding)
  if (!decoder)
    throw new GatewayError(
      'unsupported_media_type',
      `Content-Encoding must be gzip, deflate, br or zstd, not ${encoding.slice(0, 40)}`,
    )
  const stream = decoder()
  request.on('error', (error) => (stream as unknown as Readable).destroy(error))
  return request.pipe(stream) as unknown as Readable
}

/** Reads a whole body. The limit counts bytes after decompression; beyond it: `too_large`. */
export function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const announced = Number(request.headers['content-length'] ?? 0)
    if (announced > bytesMax) return reject(tooLarge(bytesMax))
    const pieces: Buffer[] = []
    const body = decoded(request)
    let size = 0
    // The listeners stay until the request goes: taking them away costs more than what they do once all is said.
    const fail = (error: GatewayError): void => {
      reject(error)
      pieces.length = 0
      if (body !== request) body.destroy()
    }
    const broken = (cause: unknown): void => fail(unreadable(request, cause))
    body.on('data', (piece: Buffer) => {
      size += piece.length
      if (size <= bytesMax) pieces.push(piece)
      else fail(tooLarge(bytesMax))
    })
    body.on('end', () => {
      const [first] = pieces
      resolve(pieces.length === 1 && first ? first : Buffer.concat(pieces))
    })
    body.on('error', broken)
    request.on('close', () => {
      if (!request.complete) broken(new Error('The connection was closed'))
    })
  })
}

function unreadable(request: IncomingMessage, cause: unknown): GatewayError {
  if (request.destroyed && !request.complete)
    return new GatewayError('cancelled', 'The caller went away', { cause })
  return new GatewayError('invalid_request', 'The request body could not be decompressed', {
    cause,
  })
}

export function tooLarge(bytesMax: number): GatewayError {
  return new GatewayError('too_large', `The request body is larger than ${bytesMax} bytes`)
}

/** A JSON object. Anything else is `invalid_request`. */
export function parseJsonObject(
  bytes: Buffer,
  contentType: string | undefined,
): Record<string, unknown> {
  if (!isJson(contentType))
    throw new GatewayError(
      'unsupported_media_type',
      `Content-Type must be application/json, not ${contentType?.slice(0, 80)}`,
    )
  if (!isUtf8(bytes)) throw invalidRequest('The request body is not UTF-8')
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = parseJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  } catch (cause) {
    throw new GatewayError('invalid_request', 'The request body is not valid JSON', { cause })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidRequest('The request body must be a JSON object')
  return withNumbers(value as Record<string, unknown>)
}

/** Large integers deep in a request, such as ids in tool arguments, keep their digits; its own fields are numbers. */
function withNumbers(fields: Record<string, unknown>): Record<string, unknown> {
  for (const [name, value] of Object.entries(fields))
    if (isRawNumber(value)) fields[name] = Number(value.rawJSON)
  return fields
}

/** A missing type is read as JSON, as it is the only thing it can be. */
function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json' || contentType === undefined || contentType === '')
    return true
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType.trim())
}

export function isForm(contentType: string | undefined): boolean {
  return /^multipart\/form-data\s*;/i.test(contentType?.trim() ?? '')
}
