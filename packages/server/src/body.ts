import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import {
  assertDepth,
  bytesOfUnits,
  GatewayError,
  invalidRequest,
  outlineJson,
  parseJson,
} from '@sluice/contract'
import { withNumbers } from '@sluice/gateway/call/call-request.ts'
import { concatInTurns } from '@sluice/gateway/turns/concat.ts'
import type { HeldBytes } from '@sluice/gateway/call/held-bytes.ts'
import { assertFewInTexts } from '@sluice/gateway/turns/json-texts.ts'
import { parseLargeJson } from '@sluice/gateway/turns/large-json.ts'
import { turn } from '@sluice/gateway/turns/turn.ts'
import { createDecoder, type Decoder } from '@sluice/gateway/upstream/decoders.ts'
import type { Exchange } from './address.ts'

export interface BodyLimits {
  readonly bytesMax: number
  /** For a compressed body, after decompression. */
  readonly inflatedBytesMax: number
  /** Counts all bytes received; throws if there is no room for them. */
  readonly held: HeldBytes
}

/** Maximum compression ratio of bodies that are not small. Ordinary text stays far below it. */
const ratioMax = 100
const anyRatioBytesMax = 1024 * 1024

/** Larger bodies are joined in several turns of the event loop. */
const joinedBytesMax = 8 * 1024 * 1024

/**
 * A request body being received, with its content encoding removed (RFC 9110, 8.4.1; zstd: RFC 8878) and its bytes counted.
 * Throws at once for an unknown encoding or a Content-Length that is too large.
 */
export class ArrivingBody {
  readonly stream: Readable
  readonly #request: IncomingMessage
  readonly #decoder: Decoder | undefined
  readonly #limits: BodyLimits
  readonly #bytesMax: number
  /** Bytes received so far. */
  size = 0

  constructor(request: IncomingMessage, limits: BodyLimits) {
    const announced = Number(request.headers['content-length'] ?? 0)
    if (announced > limits.bytesMax) throw tooLarge(limits.bytesMax)
    this.#request = request
    this.#limits = limits
    this.#decoder = decoderFor(request.headers['content-encoding'])
    const { bytesMax, inflatedBytesMax } = limits
    this.#bytesMax = this.#decoder ? Math.min(bytesMax, inflatedBytesMax) : bytesMax
    askForBody(request)
    this.stream = this.#decoder ? request.pipe(this.#decoder) : request
  }

  /** Counts a chunk. Throws if a limit is exceeded. */
  add(length: number): void {
    this.size += length
    if (this.size > this.#bytesMax) throw tooLarge(this.#bytesMax)
    if (this.#decoder) checkRatio(this.size, this.#decoder.bytesWritten)
    this.#limits.held.add(length)
  }

  /** Stops reading. The rest is read and discarded when the request is answered. */
  stop(): void {
    if (!this.#decoder) return
    this.#request.unpipe(this.#decoder)
    this.#decoder.destroy()
  }
}

function decoderFor(header: string | undefined): Decoder | undefined {
  const encoding = header?.trim().toLowerCase()
  if (encoding === undefined || encoding === '' || encoding === 'identity') return undefined
  const decoder = createDecoder(encoding)
  if (decoder) return decoder
  throw new GatewayError(
    'unsupported_media_type',
    `Content-Encoding must be gzip, deflate, br or zstd, not ${encoding.slice(0, 40)}`,
  )
}

function checkRatio(size: number, compressed: number): void {
  if (size <= anyRatioBytesMax || size <= compressed * ratioMax) return
  throw new GatewayError(
    'too_large',
    `The request body becomes more than ${ratioMax} times as large when it is decompressed`,
  )
}

/** Reads a whole body and removes a byte order mark. Limits apply after decompression and throw `too_large`. */
export function readBody(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new ArrivingBody(request, limits)
    const pieces: Buffer[] = []
    let isOver = false
    // The listeners are not removed: removing them costs more than their calls after the end.
    const fail = (error: unknown): void => {
      isOver = true
      reject(error)
      pieces.length = 0
      body.stop()
    }
    const broken = (cause: unknown): void => {
      if (!isOver) fail(unreadable(request, cause))
    }
    body.stream.on('data', (piece: Buffer) => {
      if (isOver) return
      try {
        body.add(piece.length)
        pieces.push(piece)
      } catch (error) {
        fail(error)
      }
    })
    body.stream.on('end', () => {
      if (isOver) return
      isOver = true
      const [first] = pieces
      if (body.size > joinedBytesMax) resolve(concatInTurns(pieces).then(withoutMark))
      else resolve(withoutMark(pieces.length === 1 && first ? first : Buffer.concat(pieces)))
      // The listeners live as long as the request and would keep the chunks alive beside the body.
      pieces.length = 0
    })
    body.stream.on('error', broken)
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

function tooLarge(bytesMax: number): GatewayError {
  return new GatewayError('too_large', `The request body is larger than ${bytesMax} bytes`)
}

/** Removes a byte order mark, which upstreams may not accept. */
function withoutMark(bytes: Buffer): Buffer {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return isMarked ? bytes.subarray(3) : bytes
}

/**
 * Parses a JSON object. Throws `invalid_request` for anything else, and `too_large` beyond `unitsMax` units (see JsonSurvey).
 * Returns a promise only if the body could be that large.
 */
export function parseJsonObject(
  bytes: Buffer,
  contentType: string | undefined,
  unitsMax: number,
): Record<string, unknown> | Promise<Record<string, unknown>> {
  assertJson(bytes, contentType)
  if (bytes.length > bytesOfUnits(unitsMax)) return parseLargeObject(bytes, unitsMax)
  let value: unknown
  try {
    value = parseJson(bytes.toString('utf8'))
  } catch (cause) {
    notJson(cause)
  }
  return checkedObject(value)
}

async function parseLargeObject(bytes: Buffer, unitsMax: number): Promise<Record<string, unknown>> {
  const parsed = await parseLargeJson(bytes, unitsMax).catch(notJson)
  await turn()
  const fields = checkedObject(parsed)
  await assertFewInTexts(fields, unitsMax)
  await turn()
  return fields
}

/** As `parseJsonObject`, but without long texts; undefined if the body must be parsed completely. */
export function outlineJsonObject(
  bytes: Buffer,
  contentType: string | undefined,
  unitsMax: number,
): Record<string, unknown> | undefined {
  assertJson(bytes, contentType)
  if (bytes.length > bytesOfUnits(unitsMax)) return undefined
  const outline = outlineJson(bytes)
  return outline && checkedObject(outline.value)
}

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

function assertJson(bytes: Buffer, contentType: string | undefined): void {
  // A missing content type is read as JSON, the only format expected.
  const isJson =
    contentType === 'application/json' || contentType === undefined || contentType === ''
  if (!isJson && !jsonType.test(contentType.trim()))
    throw new GatewayError(
      'unsupported_media_type',
      `Content-Type must be application/json, not ${contentType.slice(0, 80)}`,
    )
  if (!isUtf8(bytes)) throw invalidRequest('The request body is not UTF-8')
}

function notJson(cause: unknown): never {
  if (cause instanceof GatewayError) throw cause
  throw new GatewayError('invalid_request', 'The request body is not valid JSON', { cause })
}

function checkedObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidRequest('The request body must be a JSON object')
  assertDepth(value)
  return withNumbers(value as Record<string, unknown>)
}

export function isForm(contentType: string | undefined): boolean {
  return /^multipart\/form-data\s*;/i.test(contentType?.trim() ?? '')
}

/** Responses to callers that wait for 100 Continue before they send the body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>()

/**
 * Sends 100 Continue when a body is read and not as soon as its head has come (RFC 9110, 10.1.1): otherwise callers upload
 * megabytes that are then refused with 401. Without it Node closes the connection after the response, because some clients
 * would send their next request in place of the body.
 */
export function askForBodiesLate(server: Server): void {
  server.on('checkContinue', (request, response) => {
    waiting.set(request, response)
    server.emit('request', request, response)
  })
  // Other expectations are refused with an error body in `faultOfHead`.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

/** Sends 100 Continue if the caller waits for it. */
export function askForBody(request: IncomingMessage): void {
  if (request.headers.expect === undefined) return
  const response = waiting.get(request)
  if (!response || response.headersSent) return
  waiting.delete(request)
  response.writeContinue()
}

/** Limits on the bytes requests hold at once: bodies and fetched files. */
export interface BudgetLimits {
  /** Of all keys together. */
  readonly heldBytes: number
  readonly heldBytesPerKey: number
}

/** Suggested retry delay, in milliseconds. */
const retryAfterMs = 1_000

/** Counts the bytes that requests hold, per key and in total. */
export class BodyBudget {
  readonly #current: { readonly limits: BudgetLimits }
  readonly #byKey = new Map<string, number>()
  #all = 0

  constructor(current: { readonly limits: BudgetLimits }) {
    this.#current = current
  }

  /** Throws `rate_limited` if the key's limit is reached and `overloaded` if the total limit is; nothing is counted then. */
  take(keyId: string, bytes: number): void {
    const { heldBytes, heldBytesPerKey } = this.#current.limits
    const held = (this.#byKey.get(keyId) ?? 0) + bytes
    if (held > heldBytesPerKey)
      throw new GatewayError(
        'rate_limited',
        `The requests in progress of this key may hold ${heldBytesPerKey} bytes in all`,
        { retryAfterMs },
      )
    if (this.#all + bytes > heldBytes)
      throw new GatewayError(
        'overloaded',
        'The requests in progress hold as many bytes as the gateway allows',
        {
          retryAfterMs,
        },
      )
    this.#byKey.set(keyId, held)
    this.#all += bytes
  }

  give(keyId: string, bytes: number): void {
    this.#all -= bytes
    const held = (this.#byKey.get(keyId) ?? 0) - bytes
    if (held > 0) this.#byKey.set(keyId, held)
    else this.#byKey.delete(keyId)
  }
}

/** The bytes that one request holds, until it is over. */
export class BudgetShare implements HeldBytes {
  readonly #budget: BodyBudget
  readonly #keyId: string
  #bytes = 0
  #isOver = false

  constructor(budget: BodyBudget, keyId: string) {
    this.#budget = budget
    this.#keyId = keyId
  }

  get bytes(): number {
    return this.#bytes
  }

  add(bytes: number): void {
    // Data that arrives after the end is discarded by its reader.
    if (this.#isOver) return
    this.#budget.take(this.#keyId, bytes)
    this.#bytes += bytes
  }

  /** Releases the bytes when the request is over. */
  release(): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#bytes > 0) this.#budget.give(this.#keyId, this.#bytes)
  }
}

/** The body limits of a request. */
export function limitsOf({ options, held }: Exchange): BodyLimits {
  const { bodyBytesMax: bytesMax, inflatedBytesMax } = options
  return { bytesMax, inflatedBytesMax, held }
}
