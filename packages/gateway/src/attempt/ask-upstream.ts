import { GatewayError } from '@sluice/contract'
import type { OutputMaximum } from '@sluice/protocols/output-limit.ts'
import type { UpstreamBody } from '@sluice/protocols/protocol.ts'
import { outgoing, type OutgoingRequest } from '../providers/provider.ts'
import { byPrefix, stickyPrefix } from '../route/call-route.ts'
import { checkNamed } from './named-ids.ts'
import { formatLargeJson } from '../turns/format-large.ts'
import { prepare } from './prepare.ts'
import type { Prepared } from './prepared.ts'
import { ResponseReceiver } from './receive-answer.ts'
import type { Outgoing } from '../call/send.ts'
import { untilAborted } from '../call/until-aborted.ts'
import type { KeyUse } from '../route/key-use.ts'
import { limitsKey } from './failures.ts'
import { secretsFor } from './account.ts'
import type { CallRun } from './call-run.ts'
import { Attempt, type BegunResponse } from './attempt.ts'
import { isMissingAddress, maximumIn, type Missing, rememberLacking } from './learnt-refusals.ts'
import type { Cancellation } from '../call/cancellation.ts'
import type { UpstreamTarget } from '../route/routing.ts'

export type AskUpstream = typeof askUpstream

/**
 * One attempt at one upstream. Rejects with a GatewayError; the caller has then seen nothing of the response. If the
 * upstream refuses the key, the request is tried once more with another key; if the rate of the key is used up, with each that is
 * free. If the upstream does not offer the
 * endpoint of the caller's format, it is asked once more in its own format.
 */
export function askUpstream(
  run: CallRun,
  target: UpstreamTarget,
  cancellation: Cancellation,
): Promise<BegunResponse> {
  const { keys } = run.gateway.health
  const secrets = run.bound ? secretsFor(run.bound, target) : target.upstream.secrets
  const secret = secrets.length === 1 && keys.areFree ? secrets[0] : chosenKey(run, target, secrets)
  if (secret === undefined) {
    const use = useOf(run, target)
    const limitedMs = keys.limitedMs(use, secrets)
    return Promise.reject(
      limitedMs !== undefined
        ? everyKeyIsLimited(target, limitedMs)
        : everyKeyRests(target, keys.keyRestsMs(use, secrets)),
    )
  }
  return askWith(run, { target, secret }, cancellation).catch((thrown: unknown) => {
    const error = GatewayError.from(thrown)
    const refused = { target, secret, use: useOf(run, target), error }
    if (isUnknownThere(run, error)) return askOthers(run, refused, cancellation)
    if (error.code === 'upstream_refused_us') return askWithOther(run, refused, cancellation)
    if (limitsKey(error)) return askWithFree(run, refused, cancellation)
    throw error
  })
}

function useOf({ call }: CallRun, { providerId: provider, model }: UpstreamTarget): KeyUse {
  return { provider, model, caller: call.key.id }
}

function chosenKey(
  run: CallRun,
  target: UpstreamTarget,
  secrets: readonly string[],
): string | undefined {
  const { keys } = run.gateway.health
  const use = useOf(run, target)
  const prefix = run.route.options.sticky ? stickyPrefix(run.call) : undefined
  return prefix === undefined
    ? keys.nextKey(use, secrets)
    : keys.nextKey(use, byPrefix(secrets, prefix), { inOrder: true })
}

/** Whether the call names something that is kept upstream, and the account that was asked does not know it; Google says 403 then. */
function isUnknownThere({ bound }: CallRun, { details }: GatewayError): boolean {
  const { upstreamStatus: status } = details
  const isUnknown = status === 400 || status === 403 || status === 404
  return bound !== undefined && bound.account === undefined && isUnknown
}

/** Repeats the request with the other keys, because it is unknown which account keeps what the call names. */
async function askOthers(
  run: CallRun,
  { target, secret, use, error }: Refused,
  cancellation: Cancellation,
): Promise<BegunResponse> {
  const { keys } = run.gateway.health
  const tried = [secret]
  for (;;) {
    const other = keys.otherKey(use, target.upstream.secrets, tried)
    if (other === undefined) throw error
    tried.push(other)
    try {
      return await askWith(run, { target, secret: other }, cancellation)
    } catch (thrown) {
      if (!isUnknownThere(run, GatewayError.from(thrown))) throw thrown
    }
  }
}

/** Repeats the request with keys whose rate is not used up, one after the other. */
async function askWithFree(
  run: CallRun,
  { target, secret, use, error }: Refused,
  cancellation: Cancellation,
): Promise<BegunResponse> {
  const { keys } = run.gateway.health
  const secrets = secretsFor(run.bound, target)
  const tried = [secret]
  let last = error
  let soonestMs = keys.keyLimited(use, secret, error.details.retryAfterMs)
  for (;;) {
    const free = keys.otherKey(use, secrets, tried)
    if (free === undefined)
      throw withRetryAfter(
        last,
        tried.length === secrets.length ? soonestMs : keys.limitedMs(use, secrets),
      )
    tried.push(free)
    try {
      return await askWith(run, { target, secret: free }, cancellation)
    } catch (thrown) {
      last = GatewayError.from(thrown)
      if (!limitsKey(last)) throw last
      soonestMs = Math.min(soonestMs, keys.keyLimited(use, free, last.details.retryAfterMs))
    }
  }
}

/** The time until the first of all keys may be used again, and not that of the last one tried. */
function withRetryAfter(error: GatewayError, retryAfterMs: number | undefined): GatewayError {
  if (retryAfterMs === undefined || retryAfterMs === 0) return error
  return new GatewayError(error.code, error.message, { ...error.details, retryAfterMs })
}

function everyKeyIsLimited({ providerId }: UpstreamTarget, retryAfterMs: number): GatewayError {
  return new GatewayError(
    'upstream_rate_limited',
    `The rate of every key of ${providerId} is used up for this model at the moment`,
    { retryAfterMs },
  )
}

function everyKeyRests({ providerId }: UpstreamTarget, retryAfterMs: number): GatewayError {
  return new GatewayError(
    'upstream_refused_us',
    `Every key of ${providerId} was refused and is not used at the moment`,
    { ...(retryAfterMs > 0 && { retryAfterMs }) },
  )
}

interface Refused {
  readonly target: UpstreamTarget
  readonly secret: string
  readonly use: KeyUse
  readonly error: GatewayError
}

/**
 * Repeats the request with another key to find out what was refused: if it succeeds, the first key was at fault; if
 * it is refused too, the request was.
 */
async function askWithOther(
  run: CallRun,
  { target, secret, use, error }: Refused,
  cancellation: Cancellation,
): Promise<BegunResponse> {
  const { keys } = run.gateway.health
  const { upstreamStatus: status } = error.details
  // A 403 is often about one model or region; the key may still work for others.
  const isRemembered = status !== 403
  const other = keys.otherKey(use, secretsFor(run.bound, target), [secret])
  if (other === undefined) {
    if (isRemembered) keys.keyRefused(use, secret, 'unknown')
    throw error
  }
  try {
    const attempted = await askWith(run, { target, secret: other }, cancellation)
    if (isRemembered)
      keys.keyRefused(use, secret, status === 402 || status === 429 ? 'model' : 'key')
    return attempted
  } catch (thrown) {
    const second = GatewayError.from(thrown)
    if (second.code !== 'upstream_refused_us') {
      if (isRemembered && second.code !== 'cancelled') keys.keyRefused(use, secret, 'unknown')
      throw second
    }
    const why = second.details.upstreamStatus ?? status
    throw new GatewayError(
      second.code,
      `${target.providerId} refused this request with two of its keys${why === undefined ? '' : ` (${why})`}: it is taken to be about the request`,
      second.details,
    )
  }
}

/** What is sent with one key. */
interface Asking extends Pick<Sending, 'target' | 'secret'> {
  /** Set for the second request of a call whose first one may have been sent to an address that the upstream lacks. */
  readonly missing?: Missing
}

/**
 * Sends with one key, in the caller's format if the upstream supports it, otherwise in the upstream's own format. If the upstream
 * lacks the endpoint of the caller's format, it is asked once more in its own, unless the call is beside the main work.
 */
export async function askWith(
  run: CallRun,
  asking: Asking,
  cancellation: Cancellation,
): Promise<BegunResponse> {
  const { target, secret, missing } = asking
  const { gateway } = run
  const preparing = prepare(run, target, cancellation)
  const prepared = preparing instanceof Promise ? await preparing : preparing
  if (missing?.path === prepared.request.path) throw missing.error
  const { named } = prepared
  if (named.length > 0)
    await checkNamed(
      run,
      target,
      named.map((one) => ({ ...one, isReference: true })),
    )
  const { addressOf } = prepared
  try {
    const attempted = await sendPrepared(run, { target, prepared, secret }, cancellation)
    if (addressOf !== undefined) gateway.health.formatWorked(target.upstream.baseUrl, addressOf)
    return attempted
  } catch (thrown) {
    const error = GatewayError.from(thrown)
    const maximum = run.outputTokensMax === undefined ? maximumIn(error, prepared) : undefined
    if (maximum) return askWithin(run, { target, secret, maximum }, cancellation)
    if (addressOf === undefined || !isMissingAddress(error, run, { target, prepared })) throw error
    const { path } = prepared.request
    const lacking = { path, format: addressOf, error }
    if (run.isAside === true) {
      rememberLacking(run, target, { ...lacking, worksOtherwise: false })
      throw error
    }
    return askTranslated(run, { target, secret, missing: lacking }, cancellation)
  }
}

/** Asks in the upstream's own form, because it may lack the address of the caller's. That is remembered if the other form works. */
async function askTranslated(
  run: CallRun,
  asking: Asking & Required<Pick<Asking, 'missing'>>,
  cancellation: Cancellation,
): Promise<BegunResponse> {
  const { target, missing } = asking
  const isProved = missing.error.details.missingAddress === 'proved'
  const attempted = await askWith({ ...run, isTranslated: true }, asking, cancellation).catch(
    (thrown: unknown) => {
      const { blame, code, details } = GatewayError.from(thrown)
      // What the other form cannot express is no reason to blame the request.
      const isOurs = blame === 'caller' && code !== 'cancelled' && details.upstreamStatus == null
      throw isOurs && !isProved ? missing.error : thrown
    },
  )
  rememberLacking(run, target, { ...missing, worksOtherwise: true })
  return attempted
}

interface Within extends Pick<Sending, 'target' | 'secret'> {
  readonly maximum: OutputMaximum
}

/**
 * Repeats the request with the maximum that the upstream has named, once. It is remembered if the upstream then accepts the
 * request, because messages of refusals are only sentences.
 */
async function askWithin(
  run: CallRun,
  { target, secret, maximum }: Within,
  cancellation: Cancellation,
): Promise<BegunResponse> {
  const within = { ...run, outputTokensMax: maximum.tokens }
  const attempted = await askWith(within, { target, secret }, cancellation)
  run.gateway.learnedMaxima.learn(target, maximum)
  return attempted
}

interface Sending {
  readonly target: UpstreamTarget
  readonly prepared: Prepared
  readonly secret: string
}

/** Sends the request. The attempt ends as failed unless its response has begun. */
function sendPrepared(
  run: CallRun,
  sending: Sending,
  cancellation: Cancellation,
): Promise<BegunResponse> {
  const attempt = new Attempt(run, sending.target, cancellation)
  attempt.secret = sending.secret
  const failed = (thrown: unknown): never => {
    throw attempt.fail(GatewayError.from(thrown))
  }
  try {
    attempt.deadline.wait('headers')
    const request = signedRequest(run, sending, attempt)
    return request instanceof Promise
      ? request.then((made) => exchange(run, sending, { attempt, request: made }), failed)
      : exchange(run, sending, { attempt, request })
  } catch (thrown) {
    return failed(thrown)
  }
}

/** Larger requests are serialized in several turns of the event loop. */
const writtenAtOnceBytesMax = 1024 * 1024

/** A promise only for large requests and for credentials that must be fetched. */
function signedRequest(
  run: CallRun,
  sending: Sending,
  attempt: Attempt,
): Outgoing | Promise<Outgoing> {
  const { target, prepared, secret } = sending
  const { upstream } = target
  const { body, elsewhere } = prepared.request
  if (body?.kind === 'json' && run.call.held.bytes > writtenAtOnceBytesMax)
    return withBytes(sending, body.value).then((next) => signedRequest(run, next, attempt))
  const request = outgoing(prepared.request, upstream, run.gateway.newId)
  const credentials =
    elsewhere === undefined
      ? upstream.provider.credentials(secret, request, upstream.settings, upstream.fetch)
      : {}
  if (!(credentials instanceof Promise))
    return signed(run, sending, { attempt, request, credentials })
  return untilAborted(credentials, attempt.signal).then((fetched) =>
    signed(run, sending, { attempt, request, credentials: fetched }),
  )
}

async function withBytes(sending: Sending, value: unknown): Promise<Sending> {
  const { prepared } = sending
  const bytes = await formatLargeJson(value)
  const body: UpstreamBody = { kind: 'bytes', contentType: 'application/json', bytes }
  return { ...sending, prepared: { ...prepared, request: { ...prepared.request, body } } }
}

interface Signing {
  readonly attempt: Attempt
  readonly request: OutgoingRequest
  readonly credentials: Readonly<Record<string, string>>
}

function signed(
  { call }: CallRun,
  { target: { upstream, timeouts }, prepared }: Sending,
  { attempt, request, credentials }: Signing,
): Outgoing {
  return {
    method: prepared.request.method,
    url: request.url,
    headers: {
      accept: call.stream ? 'text/event-stream, application/json' : '*/*',
      ...request.headers,
      ...credentials,
      ...attempt.span?.headers,
    },
    body: request.body,
    connectMs: timeouts.connectMs,
    dialing: upstream.dialing,
    ...(call.operation === 'downloadVideo' && {
      download: { home: new URL(upstream.baseUrl).origin },
    }),
  }
}

/** Resolves when the response has begun. */
function exchange(
  run: CallRun,
  { target, prepared }: Sending,
  { attempt, request }: { readonly attempt: Attempt; readonly request: Outgoing },
): Promise<BegunResponse> {
  const { promise, ...outcome } = Promise.withResolvers<BegunResponse>()
  const receiver = new ResponseReceiver(run, { target, prepared, attempt }, outcome)
  attempt.connection = run.gateway.send(request, receiver)
  attempt.onBreak(receiver)
  if (prepared.isNative) run.call.request.rest()
  return promise
}
