import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import {
  assertDepth,
  bytesOfUnits,
  type Fields,
  GatewayError,
  invalidRequest,
  isObject,
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

/** Whose body is read: its limits are those of the server, and what it holds is counted for the request. */
export type BodyOwner = Pick<Exchange, 'request' | 'options' | 'held'>

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
  readonly #held: HeldBytes
  readonly #bytesMax: number
  /** Bytes received so far. */
  size = 0

  constructor(
    { request: { raw }, options, held }: BodyOwner,
    bytesMax: number = options.bodyBytesMax,
  ) {
    const { 'content-length': announced, 'content-encoding': encoding, expect } = raw.headers
    if (Number(announced ?? 0) > bytesMax) throw tooLarge(bytesMax)
    this.#request = raw
    this.#held = held
    this.#decoder = encoding === undefined ? undefined : decoderFor(encoding)
    this.#bytesMax = this.#decoder ? Math.min(bytesMax, options.inflatedBytesMax) : bytesMax
    if (expect !== undefined) askForBody(raw)
    this.stream = this.#decoder ? raw.pipe(this.#decoder) : raw
  }

  /** Counts a chunk. Throws if a limit is exceeded. */
  add(length: number): void {
    this.size += length
    if (this.size > this.#bytesMax) throw tooLarge(this.#bytesMax)
    if (this.#decoder) checkRatio(this.size, this.#decoder.bytesWritten)
    this.#held.add(length)
  }

  /** Stops reading. The rest is read and discarded when the request is answered. */
  stop(): void {
    if (!this.#decoder) return
    this.#request.unpipe(this.#decoder)
    this.#decoder.destroy()
  }
}

function decoderFor(header: string): Decoder | undefined {
  const encoding = header.trim().toLowerCase()
  if (encoding === '' || encoding === 'identity') return undefined
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

/**
 * Reads a whole body and removes a byte order mark. Limits apply after decompression and throw `too_large`; `bytesMax` defaults to
 * that of the server.
 */
export function readBody(owner: BodyOwner, bytesMax?: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new ArrivingBody(owner, bytesMax)
    const { raw: request } = owner.request
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
): Fields | Promise<Fields> {
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

async function parseLargeObject(bytes: Buffer, unitsMax: number): Promise<Fields> {
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
): Fields | undefined {
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

function checkedObject(value: unknown): Fields {
  if (!isObject(value)) throw invalidRequest('The request body must be a JSON object')
  assertDepth(value)
  return withNumbers(value)
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
function askForBody(request: IncomingMessage): void {
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

/** The bytes that requests hold. Their shares change it. */
export interface BodyBudget {
  readonly current: { readonly limits: BudgetLimits }
  readonly byKey: Map<string, number>
  all: number
}

/** The bytes that one request holds, until it is over. */
export class BudgetShare implements HeldBytes {
  bytes = 0
  readonly #budget: BodyBudget
  readonly #keyId: string
  #isOver = false

  constructor(budget: BodyBudget, keyId: string) {
    this.#budget = budget
    this.#keyId = keyId
  }

  /** Throws `rate_limited` if the key's limit is reached and `overloaded` if the total limit is; nothing is counted then. */
  add(bytes: number): void {
    // Data that arrives after the end is discarded by its reader.
    if (this.#isOver) return
    const { current, byKey, all } = this.#budget
    const { heldBytes, heldBytesPerKey } = current.limits
    const held = (byKey.get(this.#keyId) ?? 0) + bytes
    if (held > heldBytesPerKey)
      throw new GatewayError(
        'rate_limited',
        `The requests in progress of this key may hold ${heldBytesPerKey} bytes in all`,
        { retryAfterMs },
      )
    if (all + bytes > heldBytes)
      throw new GatewayError(
        'overloaded',
        'The requests in progress hold as many bytes as the gateway allows',
        { retryAfterMs },
      )
    byKey.set(this.#keyId, held)
    this.#budget.all += bytes
    this.bytes += bytes
  }

  /** Releases the bytes when the request is over. */
  release(): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.bytes === 0) return
    const { byKey } = this.#budget
    this.#budget.all -= this.bytes
    const held = (byKey.get(this.#keyId) ?? 0) - this.bytes
    if (held > 0) byKey.set(this.#keyId, held)
    else byKey.delete(this.#keyId)
  }
}
