import { type Fields, GatewayError, isObject, type OperationName } from '@sluice/contract'
import type { Received } from '@sluice/protocols/protocol.ts'
import { usedUpMs } from '@sluice/protocols/rate-limits.ts'
import type { Concealer } from '../call/concealer.ts'
import { readingFailure, upstreamError } from './failures.ts'
import type { CallRun } from './call-run.ts'
import type { Attempt, AttemptAnswer, BegunResponse } from './attempt.ts'
import { Delivery } from './delivery.ts'
import { mediaTypeOf, usualMediaType } from './media-type.ts'
import { missingAddress } from '../call/missing-address.ts'
import { rememberMade } from './named-ids.ts'
import type { Prepared } from './prepared.ts'
import type { Route, UpstreamTarget } from '../route/routing.ts'
import { Collector, outlineOf, requestIdIn, type Receiver, withBody } from '../call/send.ts'
import { nameOfSecret } from './secret-name.ts'
import { createHeld } from '../call/source.ts'
import { streamTypes } from './splitters.ts'
import { type StreamListener, StreamReceiver, valveOf } from './upstream-stream.ts'

export interface Asked {
  readonly target: UpstreamTarget
  readonly prepared: Prepared
  readonly attempt: Attempt
}

/** Settled once: either the response has begun, or it failed before the caller saw any of it. */
interface Outcome {
  readonly resolve: (begun: BegunResponse) => void
  readonly reject: (error: GatewayError) => void
}

/** Maximum size of a whole media response; larger ones fail as `upstream_garbled`. 256 MiB holds a base64 video. */
const mediaBytesMax = 256 * 1024 * 1024

/** Whether a call of this route may be sent to several targets or with several keys. */
export function hasChoice({ levels }: Route): boolean {
  const [[only] = [], ...further] = levels
  if (further.length > 0 || (levels[0]?.length ?? 0) > 1) return true
  return only?.kind === 'upstream' && only.upstream.secrets.length > 1
}

/** Reads an upstream's response. The headers decide whether it is a stream, media, a whole response or an error. */
export class ResponseReceiver implements Receiver, StreamListener {
  readonly #run: CallRun
  readonly #asked: Asked
  readonly #outcome: Outcome
  /** Reads a stream or media. */
  #reader: Omit<Receiver, 'head'> | undefined
  /** Collects a whole response. */
  #collector: Collector | undefined
  #isFailed = false

  constructor(run: CallRun, asked: Asked, outcome: Outcome) {
    this.#run = run
    this.#asked = asked
    this.#outcome = outcome
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    const { gateway, call } = this.#run
    const { attempt, target } = this.#asked
    try {
      attempt.deadline.wait(call.stream ? 'first token' : 'total')
      attempt.upstreamStatus = status
      attempt.upstreamRequestId = requestIdIn(headers, target.upstream.provider.protocol)
      if (status < 300) {
        gateway.health.setGateway(target.providerId, 'x-sluice-attempts' in headers)
        if (hasChoice(this.#run.route)) attempt.usedUp(usedUpMs(headers, gateway.now()))
        this.#reader = this.#readerFor(headers)
      }
      const bytesMax = wordy.has(call.operation) ? undefined : mediaBytesMax
      if (!this.#reader) this.#collector = new Collector(status, headers, bytesMax)
    } catch (thrown) {
      this.failed(thrown)
    }
  }

  data(piece: Uint8Array): void {
    if (this.#reader) return this.#reader.data(piece)
    try {
      this.#collector?.add(piece)
    } catch (thrown) {
      this.failed(readingFailure(thrown))
    }
  }

  end(): void {
    if (this.#reader) return this.#reader.end()
    const received = this.#collector?.received()
    if (!(received instanceof Promise)) return this.#read(received)
    received.then(
      (parsed) => this.#read(parsed),
      (thrown: unknown) => this.failed(readingFailure(thrown)),
    )
  }

  fail(error: GatewayError): void {
    if (this.#reader) this.#reader.fail(error)
    else this.failed(error)
  }

  begun(answer: AttemptAnswer): void {
    const { attempt, target } = this.#asked
    const { secret } = attempt
    const isVideo = this.#run.call.operation === 'createVideo' && secret !== undefined
    this.#outcome.resolve({
      attempt,
      target,
      firstContentMs: attempt.elapsedMs,
      answer,
      ...(isVideo && { madeWith: nameOfSecret(secret) }),
    })
  }

  /** Fails the attempt, of whose response the caller has seen nothing. */
  failed(thrown: unknown): void {
    if (this.#isFailed) return
    this.#isFailed = true
    this.#outcome.reject(this.#asked.attempt.fail(GatewayError.from(thrown)))
  }

  made(ids: readonly string[]): Promise<void> {
    return rememberMade(this.#run, ids, this.#asked.attempt.account)
  }

  skipped(): void {
    const { gateway, call } = this.#run
    gateway.log.warn({ call: call.id }, 'skipped an unreadable line of an upstream')
  }

  /** What reads a response with these headers as it arrives; undefined for a whole response. */
  #readerFor(headers: Readonly<Record<string, string>>): Omit<Receiver, 'head'> | undefined {
    const { attempt, prepared } = this.#asked
    const { stream: reading } = prepared
    const contentType = headers['content-type'] ?? ''
    if (reading && streamTypes[reading.framing].test(contentType))
      return new StreamReceiver(this, {
        attempt,
        reading,
        delivered: new Delivery(reading.watcher.textBytes),
        contentType: contentType === '' ? 'text/event-stream' : contentType,
      })
    if (contentType.includes('json')) return undefined
    const usual = this.#usualMedia(contentType)
    const mediaType = usual === undefined ? undefined : mediaTypeOf(contentType, usual)
    return mediaType === undefined ? undefined : media(this, { attempt, headers, mediaType })
  }

  /** The usual type of the media that the caller asked for, if this may be such; it is no JSON. */
  #usualMedia(contentType: string): string | undefined {
    const { takesMedia, stream } = this.#asked.prepared
    // Models that know no events ignore `stream_format` and answer with the sound (OpenAI's oldest ones).
    const isSound = stream === undefined || contentType.startsWith('audio/')
    return takesMedia && isSound ? usualMediaType(this.#run.call.operation) : undefined
  }

  #read(received: Received | undefined): void {
    const { gateway } = this.#run
    const { attempt, prepared, target } = this.#asked
    // The attempt may have been broken while its response was parsed in turns.
    if (!received || attempt.isOver) return
    try {
      const { contentType, status } = received
      if (status >= 300) throw refusalIn(received, { status, target, now: gateway.now() })
      const isJson = contentType.includes('json')
      if (!isJson && this.#usualMedia(contentType) !== undefined) refuseMedia(target, contentType)
      if (contentType.includes('html')) refusePage(target)
      const body = isJson ? outlineOf(received) : undefined
      if (isObject(body)) refuseErrorBody(target, { received, body, now: gateway.now })
      if (prepared.stream && !prepared.streamsWhole)
        throw new GatewayError(
          'upstream_garbled',
          `${target.providerId} answered a stream with ${contentType.split(';')[0]}`,
        )
      const { answer, usage, made = [] } = prepared.read(received)
      attempt.complete(usage)
      const isShown = answer.kind === 'native' && (!isObject(body) || body['error'] == null)
      const shown = isShown ? answer : concealed(answer, gateway.concealer)
      if (made.length === 0) this.begun(shown)
      else void this.made(made).then(() => this.begun(shown))
    } catch (thrown) {
      this.failed(readingFailure(thrown))
    }
  }
}

/** The operations whose whole responses are text. */
const wordy: ReadonlySet<OperationName> = new Set<OperationName>([
  'chat',
  'complete',
  'rerank',
  'moderate',
  'transcribe',
  'translate',
])

interface Refusing {
  readonly status: number
  readonly target: UpstreamTarget
  readonly now: number
}

function refusalIn(received: Received, { status, target, now }: Refusing): GatewayError {
  const { protocol } = target.upstream.provider
  const named = { id: target.providerId, protocol }
  return upstreamError(named, { ...received, status }, protocol.failure(received), now)
}

/**
 * A text is an error page or event, which must not reach the caller, and a document, such as an SVG, could run scripts in a
 * browser.
 */
function refuseMedia({ providerId }: UpstreamTarget, contentType: string): never {
  const [type] = contentType.split(';')
  throw new GatewayError(
    'upstream_garbled',
    `${providerId} answered a request for media with ${type}`,
  )
}

/** No API answers with a page. The server may have one at each address that it lacks. */
function refusePage({ providerId }: UpstreamTarget): never {
  throw new GatewayError('upstream_garbled', `${providerId} answered with a page`, {
    missingAddress: 'possible',
  })
}

interface Media {
  readonly attempt: Attempt
  readonly headers: Readonly<Record<string, string>>
  readonly mediaType: string
}

/** Passes audio, images and video through unchanged. */
function media(
  listener: Pick<StreamListener, 'begun'>,
  { attempt, headers, mediaType }: Media,
): Omit<Receiver, 'head'> {
  const length = Number(headers['content-length'] ?? Number.NaN)
  const out = createHeld<Uint8Array>(valveOf(attempt))
  attempt.begin()
  attempt.deadline.wait('idle')
  listener.begun({
    kind: 'media',
    contentType: mediaType,
    length: Number.isFinite(length) ? length : undefined,
    pieces: out,
  })
  return {
    data(piece) {
      attempt.deadline.progress()
      out.push(piece)
    },
    end() {
      attempt.complete()
      out.end()
    },
    fail(error) {
      out.fail(attempt.fail(error))
    },
  }
}

interface ReceivedObject {
  readonly received: Received
  /** Its outline. */
  readonly body: Fields
  readonly now: () => number
}

/** Some upstreams answer 200 with an error object or an empty object; both are failures. */
function refuseErrorBody(target: UpstreamTarget, { received, body, now }: ReceivedObject): void {
  if (Object.keys(body).length === 0)
    throw new GatewayError('upstream_garbled', 'The upstream answered with an empty object')
  if (!('error' in body)) return
  // Finished jobs and stored responses have an `error` field of their own.
  if (body['error'] == null || ['object', 'status', 'id', 'done'].some((name) => name in body))
    return
  const missing = missingAddress(received, target.upstream.provider.protocol.failure(received))
  // An address that is missing says nothing of the target's other addresses.
  const status = missing === 'proved' ? 404 : 502
  const error = refusalIn(received, { status, target, now: now() })
  if (missing !== 'possible') throw error
  throw new GatewayError(error.code, error.message, { ...error.details, missingAddress: missing })
}

/** Masks secrets in the `error` field of a failed job or response. */
function concealed(answer: AttemptAnswer, concealer: Concealer): AttemptAnswer {
  if (answer.kind === 'reply') {
    const { reply } = answer
    if (!('error' in reply) || reply.error == null) return answer
    return {
      ...answer,
      reply: { ...reply, error: concealer.concealTexts(reply.error) },
    }
  }
  if (answer.kind !== 'native') return answer
  const body = answer.received.json()
  if (!isObject(body)) return answer
  const shown = { ...body, error: concealer.concealTexts(body['error']) }
  return { kind: 'native', received: withBody(answer.received, shown) }
}
