import { GatewayError } from '@sluice/contract'
import type { Run } from '../run/run.ts'
import { Attempt, type AttemptAnswer, type Attempted } from './attempt.ts'
import type { Cancellation } from './cancellation.ts'
import { outgoing, type Prepared, prepare, type UpstreamTarget } from './prepare.ts'
import { receiveAnswer } from './receive-answer.ts'
import { untilAborted } from './until-aborted.ts'

/** A refused key rests for five minutes; one that is limited only as long as the upstream says. */
const refusedKeyMs = 300_000

/**
 * One try at one upstream. Rejects with a GatewayError; nothing of the answer has been seen then. An upstream that
 * lacks the address of the caller's format is asked once more, in its own.
 */
export async function askUpstream(
  run: Run,
  target: UpstreamTarget,
  cancellation: Cancellation,
): Promise<Attempted> {
  const { gateway, call } = run
  const preparing = prepare(run, target, cancellation)
  const prepared = preparing instanceof Promise ? await preparing : preparing
  const secret = gateway.health.nextKey(target.providerId, target.upstream.secrets)
  if (secret === undefined)
    throw new GatewayError(
      'upstream_refused_us',
      `Every key of ${target.providerId} was refused and is set aside for now`,
    )
  try {
    return await attemptOnce(run, { target, prepared, secret }, cancellation)
  } catch (thrown) {
    const error = GatewayError.from(thrown)
    // A 403 is often about one model or region: the key is good for others.
    if (error.code === 'upstream_refused_us' && error.details.upstreamStatus !== 403)
      gateway.health.setKeyAside(target.providerId, secret, refusedKeyMs)
    if (!prepared.isNative || call.format.isOwn === true || !isMissingAddress(error)) throw error
    gateway.health.setFormatLacking(target.providerId, call.format.id)
    return askUpstream(run, target, cancellation)
  }
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
  readonly target: UpstreamTarget
  readonly prepared: Prepared
  readonly secret: string
}

/** The attempt ends as a failure unless its answer has begun. */
async function attemptOnce(
  run: Run,
  { target, prepared, secret }: Sending,
  cancellation: Cancellation,
): Promise<Attempted> {
  const { gateway, call } = run
  const { upstream, timeouts } = target
  const attempt = new Attempt(run, target, cancellation)
  try {
    attempt.wait('headers')
    const request = outgoing(prepared.request, upstream, gateway.newId)
    const isElsewhere = prepared.request.elsewhere !== undefined
    const credentials = isElsewhere
      ? {}
      : upstream.provider.credentials(secret, request, upstream.settings)
    const signed =
      credentials instanceof Promise ? await untilAborted(credentials, attempt.signal) : credentials
    const answer = await new Promise<AttemptAnswer>((resolve, reject) => {
      const receiver = receiveAnswer(run, { target, prepared, attempt }, { resolve, reject })
      attempt.connection = gateway.send(
        {
          method: prepared.request.method,
          url: request.url,
          headers: {
            accept: call.stream ? 'text/event-stream, application/json' : '*/*',
            ...request.headers,
            ...signed,
          },
          body: request.body,
          connectMs: timeouts.connectMs,
        },
        receiver,
      )
      attempt.onBreak((error) => receiver.fail(error))
    })
    return {
      target,
      firstContentMs: attempt.elapsedMs,
      answer,
      usage: () => attempt.usage(),
      abandon: () => attempt.abandon(),
    }
  } catch (thrown) {
    const error = GatewayError.from(thrown)
    attempt.fail(error)
    throw error
  }
}
