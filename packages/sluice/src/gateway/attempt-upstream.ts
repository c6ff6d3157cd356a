import { GatewayError, operations, type Usage } from '@sluice/contract'
import type { AttemptAnswer, Attempted, AttemptInput } from './attempt.ts'
import { type Deadline, openDeadline } from './deadline.ts'
import { upstreamError } from './failures.ts'
import { refuseErrorBody } from './error-body.ts'
import { asFailure } from './guard.ts'
import { type Meter, openMeter } from './meter.ts'
import { outgoing, type Prepared, prepare, type UpstreamTarget } from './prepare.ts'
import { type Incoming, receive } from './send.ts'
import { untilAborted } from './until-aborted.ts'
import { openStream } from './stream-upstream.ts'

/** A refused key rests for five minutes; one that is limited only as long as the upstream says. */
const refusedKeyMs = 300_000

/** One try at one upstream. Rejects with a GatewayError; nothing of the answer has been seen then. */
export async function attemptUpstream(
  input: AttemptInput,
  target: UpstreamTarget,
): Promise<Attempted> {
  const { gateway, call } = input
  const prepared = await prepare(input, target)
  const secret = gateway.health.nextKey(target.providerId, target.upstream.secrets)
  if (secret === undefined)
    throw new GatewayError(
      'upstream_refused_us',
      `Every key of ${target.providerId} was refused and is set aside for now`,
    )
  const meter = openMeter(gateway, call, target, input.attempt)
  const deadline = openDeadline(input.signal, target.timeouts)
  const startedAt = gateway.now()
  try {
    const incoming = await sendPrepared(input, target, { prepared, secret, deadline })
    const answer = await readAnswer(input, { target, prepared, incoming, deadline, meter })
    return {
      target,
      attempt: input.attempt,
      meter,
      firstContentMs: gateway.now() - startedAt,
      answer,
      abandon() {
        meter.close('cancelled', knownUsage(answer))
        deadline.abort(new GatewayError('cancelled', 'Another target answered first'))
        deadline[Symbol.dispose]()
      },
    }
  } catch (thrown) {
    const error = GatewayError.from(asFailure(thrown, deadline))
    meter.close(error.code === 'cancelled' ? 'cancelled' : 'failed')
    // A 403 is often about one model or region: the key is good for others.
    if (error.code === 'upstream_refused_us' && error.details.upstreamStatus !== 403)
      gateway.health.setKeyAside(target.providerId, secret, refusedKeyMs)
    deadline.abort(error)
    deadline[Symbol.dispose]()
    if (prepared.mode === 'native' && call.format && isMissingAddress(error)) {
      gateway.health.setFormatLacking(target.providerId, call.format.id)
      return attemptUpstream(input, target)
    }
    throw error
  }
}

/** What an answer that nobody wants any more has cost, as far as it was said. */
function knownUsage(answer: AttemptAnswer): Usage | undefined {
  if (answer.kind === 'steps') return answer.usage?.()
  return answer.kind === 'blocks' ? answer.usage() : answer.usage
}

/** A 404 that is not about the model, or a 405: the upstream has no such address. */
function isMissingAddress({ code, message, details }: GatewayError): boolean {
  if (code !== 'upstream_rejected' && code !== 'upstream_unavailable') return false
  const { upstreamStatus, upstreamCode = '' } = details
  if (upstreamStatus === 405 || upstreamStatus === 501) return true
  if (upstreamStatus !== 404 || /model|deployment|not_found_error/i.test(upstreamCode)) return false
  return !/\bmodel\b|^models\/\S+ is not found|\bdeployment\b/i.test(message)
}

interface Sending {
  readonly prepared: Prepared
  readonly secret: string
  readonly deadline: Deadline
}

async function sendPrepared(
  { gateway, call }: AttemptInput,
  target: UpstreamTarget,
  { prepared, secret, deadline }: Sending,
): Promise<Incoming> {
  const { upstream, timeouts } = target
  const request = outgoing(prepared.request, upstream, gateway.newId)
  const accepted = call.stream ? 'text/event-stream, application/json' : '*/*'
  deadline.wait('headers')
  const signed =
    prepared.request.elsewhere === undefined
      ? await untilAborted(
          upstream.provider.credentials(secret, request, upstream.settings),
          deadline.signal,
        )
      : {}
  const incoming = await gateway.send(
    {
      method: prepared.request.method,
      url: request.url,
      headers: { accept: accepted, ...request.headers, ...signed },
      body: request.body,
      connectMs: timeouts.connectMs,
    },
    deadline.signal,
  )
  deadline.wait(call.stream ? 'first token' : 'total')
  if (incoming.status < 300) return incoming
  const received = await receive(incoming)
  throw upstreamError(target.providerId, received, upstream.provider.protocol.failure(received))
}

interface Reading {
  readonly target: UpstreamTarget
  readonly prepared: Prepared
  readonly incoming: Incoming
  readonly deadline: Deadline
  readonly meter: Meter
}

async function readAnswer(input: AttemptInput, reading: Reading): Promise<AttemptAnswer> {
  const { prepared, incoming, deadline, target } = reading
  if (input.call.stream) return openStream(input, reading)
  const isMedia =
    prepared.mode === 'codec'
      ? prepared.codec.bytes === true
      : operations[input.call.operation].replyType !== undefined
  if (isMedia && !incoming.headers['content-type']?.includes('json'))
    return openMedia(incoming, deadline)

  const received = await receive(incoming)
  deadline[Symbol.dispose]()
  refuseErrorBody(target, received)
  if (prepared.mode === 'native')
    return { kind: 'native', received, usage: prepared.native.usage(received.json()) }
  const { codec, context, canonical } = prepared
  const decoded = codec.decode(received, context, canonical)
  if (decoded.passBytes === true) return { kind: 'native', received, usage: decoded.usage }
  const { reply, usage, jobId, rendered } = decoded
  if (rendered) return { kind: 'native', received: { ...received, ...rendered }, usage }
  return { kind: 'reply', reply, usage, ...(jobId !== undefined && { jobId }) }
}

function openMedia(incoming: Incoming, deadline: Deadline): AttemptAnswer {
  const length = Number(incoming.headers['content-length'] ?? Number.NaN)
  const usage: Usage | undefined = undefined
  return {
    kind: 'media',
    contentType: incoming.headers['content-type'] ?? 'application/octet-stream',
    length: Number.isFinite(length) ? length : undefined,
    usage,
    body: (async function* () {
      try {
        deadline.wait('idle')
        for await (const piece of incoming.body) {
          deadline.progress()
          deadline.hold()
          yield piece
          deadline.resume()
        }
      } catch (thrown) {
        throw asFailure(thrown, deadline)
      } finally {
        deadline[Symbol.dispose]()
      }
    })(),
  }
}
