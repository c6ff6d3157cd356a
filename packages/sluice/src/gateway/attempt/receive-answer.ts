import { GatewayError, isObject } from '@sluice/contract'
import type { Received } from '@sluice/protocols'
import type { AnyReply } from '../call/canonical.ts'
import type { Concealer } from '../call/concealer.ts'
import { readingFailure, requestIdIn, upstreamError } from './failures.ts'
import type { CallRun } from './call-run.ts'
import type { Attempt, AttemptAnswer } from './attempt.ts'
import { mediaTypeOf } from './media-type.ts'
import { rememberMade } from './named-ids.ts'
import type { Prepared } from './prepare.ts'
import type { UpstreamTarget } from '../route/routing.ts'
import { answerBytesMax, Collector, outlineOf, type Receiver, withBody } from '../call/send.ts'
import { createHeld } from '../call/source.ts'
import { streamTypes } from './splitters.ts'
import { StreamReceiver, valveOf } from './upstream-stream.ts'

interface Asked {
  readonly target: UpstreamTarget
  readonly prepared: Prepared
  readonly attempt: Attempt
}

/** Settled once: either the response has begun, or it failed before the caller saw any of it. */
interface Begun {
  readonly resolve: (answer: AttemptAnswer) => void
  readonly reject: (error: GatewayError) => void
}

type Body = Omit<Receiver, 'head'>

/** Reads an upstream's response. The headers decide whether it is a stream, media, a whole response or an error. */
export function receiveAnswer(run: CallRun, asked: Asked, begun: Begun): Receiver {
  const { attempt } = asked
  let body: Body | undefined
  let isFailed = false
  const fail = (thrown: unknown): void => {
    if (isFailed) return
    isFailed = true
    begun.reject(attempt.fail(GatewayError.from(thrown)))
  }
  return {
    head(status, headers) {
      try {
        attempt.wait(run.call.stream ? 'first token' : 'total')
        attempt.upstreamStatus = status
        attempt.upstreamRequestId = requestIdIn(headers, asked.target.upstream.provider.protocol)
        body = bodyOf(run, asked, {
          status,
          headers,
          begun: { resolve: begun.resolve, reject: fail },
          bytesMax: answerBytesMax(run.call.operation),
        })
      } catch (thrown) {
        fail(thrown)
      }
    },
    data: (piece) => body?.data(piece),
    end: () => body?.end(),
    fail: (error) => (body ? body.fail(error) : fail(error)),
  }
}

interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly begun: Begun
  /** The maximum size of a whole response. */
  readonly bytesMax: number
}

function bodyOf(run: CallRun, { target, prepared, attempt }: Asked, head: Head): Body {
  const { status, headers, begun } = head
  const { stream: reading } = prepared
  const contentType = headers['content-type'] ?? ''
  if (status >= 300)
    return whole(head, (received) => {
      const { protocol } = target.upstream.provider
      const failure = protocol.failure(received)
      throw upstreamError({ id: target.providerId, protocol }, received, failure, run.gateway.now())
    })
  run.gateway.health.setGateway(target.providerId, 'x-sluice-attempts' in headers)
  if (reading && streamTypes[reading.framing].test(contentType))
    return new StreamReceiver({
      attempt,
      reading,
      contentType: contentType === '' ? 'text/event-stream' : contentType,
      made: (ids) => void rememberMade(run, ids),
      skipped: () =>
        run.gateway.log.warn({ call: run.call.id }, 'skipped an unreadable line of an upstream'),
      begun: begun.resolve,
      failed: begun.reject,
    })
  // Models that know no events ignore `stream_format` and answer with the sound (OpenAI's oldest ones).
  const isSound = reading === undefined || contentType.startsWith('audio/')
  if (isSound && prepared.mediaType !== undefined && !contentType.includes('json')) {
    const mediaType = mediaTypeOf(contentType, prepared.mediaType)
    return mediaType === undefined
      ? whole(head, () => refuseMedia(target, contentType))
      : media(attempt, { ...head, mediaType })
  }
  return whole(head, (received) => {
    // The attempt was broken while its response was parsed in turns.
    if (attempt.isOver) return
    refuseErrorBody(target, received, run.gateway.now)
    if (reading && !prepared.streamsWhole)
      throw new GatewayError(
        'upstream_garbled',
        `${target.providerId} answered a stream with ${contentType.split(';')[0]}`,
      )
    const { answer, usage, made = [] } = prepared.read(received)
    if (usage) attempt.report(usage)
    attempt.complete()
    const shown = concealed(answer, run.gateway.concealer)
    if (made.length === 0) begun.resolve(shown)
    else void rememberMade(run, made).then(() => begun.resolve(shown))
  })
}

/** Collects a whole response and passes it to `read`. An error thrown by `read` fails the attempt. */
function whole(
  { status, headers, begun, bytesMax }: Head,
  read: (received: Received) => void,
): Body {
  const collector = new Collector(status, headers, bytesMax)
  const tried = (step: () => void): void => {
    try {
      step()
    } catch (thrown) {
      begun.reject(readingFailure(thrown))
    }
  }
  return {
    data: (piece) => tried(() => collector.add(piece)),
    end() {
      if (!collector.isLarge) return tried(() => read(collector.received()))
      collector.parsed().then(
        (received) => tried(() => read(received)),
        (thrown: unknown) => begun.reject(readingFailure(thrown)),
      )
    },
    fail: (error) => begun.reject(error),
  }
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

/** Passes audio, images and video through unchanged. */
function media(
  attempt: Attempt,
  { headers, begun, mediaType }: Head & { readonly mediaType: string },
): Body {
  const length = Number(headers['content-length'] ?? Number.NaN)
  const out = createHeld<Uint8Array>(valveOf(attempt))
  attempt.begin()
  attempt.wait('idle')
  begun.resolve({
    kind: 'media',
    contentType: mediaType,
    length: Number.isFinite(length) ? length : undefined,
    pieces: out,
  })
  return {
    data(piece) {
      attempt.progress()
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

/** Some upstreams answer 200 with an error object or an empty object; both are failures. */
function refuseErrorBody(target: UpstreamTarget, received: Received, now: () => number): void {
  if (!received.contentType.includes('json')) return
  const body = outlineOf(received)
  if (!isObject(body)) return
  if (isEmpty(body))
    throw new GatewayError('upstream_garbled', 'The upstream answered with an empty object')
  if (!('error' in body)) return
  // Finished jobs and stored responses have an `error` field of their own.
  if (body['error'] == null || ['object', 'status', 'id', 'done'].some((name) => name in body))
    return
  const { protocol } = target.upstream.provider
  const failure = protocol.failure(received)
  throw upstreamError(
    { id: target.providerId, protocol },
    { ...received, status: 502 },
    failure,
    now(),
  )
}

function isEmpty(body: object): boolean {
  for (const _name in body) return false
  return true
}

/** Masks secrets in the `error` field of a failed job or response. */
function concealed(answer: AttemptAnswer, concealer: Concealer): AttemptAnswer {
  if (answer.kind === 'reply') {
    const { reply } = answer
    if (!('error' in reply) || reply.error == null) return answer
    return {
      ...answer,
      reply: { ...reply, error: concealer.concealTexts(reply.error) } as AnyReply,
    }
  }
  if (answer.kind !== 'native' || !answer.received.contentType.includes('json')) return answer
  const outline = outlineOf(answer.received)
  if (!isObject(outline) || outline['error'] === undefined || outline['error'] === null)
    return answer
  const body = answer.received.json()
  if (!isObject(body)) return answer
  const shown = { ...body, error: concealer.concealTexts(body['error']) }
  return { kind: 'native', received: withBody(answer.received, shown) }
}
