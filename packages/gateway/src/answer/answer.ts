import { GatewayError } from '@sluice/contract'
import type { BegunResponse } from '../attempt/attempt.ts'
import { createHeld } from '../call/source.ts'
import {
  type Answer,
  type Call,
  costFields,
  formatContext,
  headerText,
  writtenBy,
} from '../call/call.ts'
import type { AnyReply } from '../call/canonical.ts'
import { formatLargeJson, isLargeJson } from '../turns/format-large.ts'
import type { CallParts } from '../attempt/call-parts.ts'
import { type Keep, keptPieces, passedPieces, watchedPieces, writtenSteps } from './pieces.ts'
import type { CallRun } from '../attempt/call-run.ts'
import type { Admitted } from '../admit/admit.ts'
import { fallback, whenLimited } from '../failover/fallback.ts'
import { boundOf, boundOrder } from '../failover/bound.ts'
import { retry } from '../failover/retry.ts'
import { orderFor } from '../route/call-route.ts'
import type { Target } from '../route/routing.ts'

/** Handles one inference call: obtains a response and writes it in the caller's format. */
export async function handle(gateway: CallParts, admitted: Admitted): Promise<Answer> {
  const run = openRun(gateway, admitted)
  const asked = run.route.longer ? fittingResponse(run) : firstResponse(run)
  return answerOf(run, began(run, await asked))
}

/** The run of an admitted call. */
export function openRun<Parts extends CallParts>(
  gateway: Parts,
  admitted: Admitted,
): CallRun<Parts> {
  const { call, route } = admitted
  return { gateway, call, route, admitted, translated: {} }
}

/** Runs a call until its response begins. */
export function begin(run: CallRun): Promise<BegunResponse> {
  const asked = run.route.longer ? fittingResponse(run) : firstResponse(run)
  return asked.then((begun) => began(run, begun))
}

/** As `firstResponse`; each time that a target lacks the context for the prompt, the models for longer prompts after it are asked. */
async function fittingResponse(run: CallRun): Promise<BegunResponse> {
  const { longer = [], ...route } = run.route
  let { levels } = route
  let rest = longer
  for (;;)
    try {
      return await firstResponse({ ...run, route: { ...route, levels } })
    } catch (thrown) {
      const isTooLong =
        thrown instanceof GatewayError && thrown.publicCode === 'context_length_exceeded'
      if (!isTooLong || rest.length === 0) throw thrown
      levels = rest.flatMap((one) => one.levels)
      rest = rest.slice(1)
    }
}

function firstResponse(run: CallRun): Promise<BegunResponse> {
  const order = orderFor(run.gateway, run.call, run.route)
  const [only] = order
  const isOnly =
    order.length === 1 && (only?.kind === 'engine' || only?.upstream.secrets.length === 1)
  if (only && isOnly) return single(run, only)
  if (run.bound) return inOrder(run, boundOrder(run.bound, order))
  const binding = boundOf(run, order)
  if (!binding) return inOrder(run, order)
  return binding.then((bound) =>
    bound ? inOrder({ ...run, bound }, boundOrder(bound, order)) : inOrder(run, order),
  )
}

function inOrder(run: CallRun, order: readonly Target[]): Promise<BegunResponse> {
  const [only] = order
  return only && order.length === 1 ? single(run, only) : fallback(run, order, retry)
}

function single(run: CallRun, only: Target): Promise<BegunResponse> {
  return retry(run, only, run.call.cancellation, { mayWait: true }).catch((thrown: unknown) =>
    whenLimited(run, { order: [only], retry, thrown, tries: 1 }),
  )
}

function began({ gateway, call: { trail } }: CallRun, begun: BegunResponse): BegunResponse {
  trail.upstreamMs = begun.firstContentMs
  trail.firstContentMs = gateway.now() - trail.startedAt
  return begun
}

/**
 * Writes the response of an attempt in the caller's format. Where the format has a whole-document form, `keep`
 * receives that document before the last part is sent to the caller.
 */
export function answerOf(
  run: CallRun,
  begun: BegunResponse,
  keep?: Keep,
): Answer | Promise<Answer> {
  try {
    const { answer } = begun
    return answer.kind === 'reply' || answer.kind === 'native'
      ? wholeAnswer(run, begun, keep)
      : streamedAnswer(run, begun, keep)
  } catch (thrown) {
    // Nobody will read the response to its end.
    begun.attempt.abandon()
    throw thrown
  }
}

function wholeAnswer(run: CallRun, begun: BegunResponse, keep?: Keep): Answer | Promise<Answer> {
  const { gateway, call } = run
  const { answer } = begun
  call.trail.usage = begun.attempt.usage()
  call.trail.outcome = 'completed'
  if (answer.kind === 'native') {
    const headers = { ...answerHeaders(gateway, call), ...costFields(call.trail) }
    const { bytes, contentType, json } = answer.received
    const made: Answer = { kind: 'bytes', headers, bytes, contentType }
    return keep ? keep(json()).then(() => made) : made
  }
  if (answer.kind !== 'reply') throw new GatewayError('internal', 'A stream is no whole answer')
  if (call.stream && call.format.stepsOf) return streamedReply(run, begun, answer.reply)
  const context = formatContext(gateway, call.headers, call.trail)
  const body = call.format.fromCanonical(answer.reply, writtenBy(call), context)
  // Computed after the body: building the body may add to `dropped`.
  const headers = { ...answerHeaders(gateway, call), ...costFields(call.trail) }
  if (isLargeJson(body)) return largeAnswer(headers, body, keep)
  const made: Answer = { kind: 'json', headers, body }
  return keep ? keep(body).then(() => made) : made
}

async function largeAnswer(
  headers: Answer['headers'],
  body: unknown,
  keep: Keep | undefined,
): Promise<Answer> {
  const bytes = await formatLargeJson(body)
  await keep?.(body)
  return { kind: 'bytes', headers, bytes, contentType: 'application/json; charset=utf-8' }
}

/** Streams a response that arrived as a whole. */
function streamedReply({ gateway, call }: CallRun, begun: BegunResponse, reply: AnyReply): Answer {
  const writer = writerOf(call)
  const steps = call.format.stepsOf?.(reply, begun.attempt.usage()) ?? []
  const pieces = createHeld<string>({ pause() {}, resume() {}, cancel() {} })
  pieces.push(steps.map((step) => writer.write(step)).join('') + writer.end())
  pieces.end()
  const headers = answerHeaders(gateway, call)
  return { kind: 'stream', headers, contentType: writer.contentType, pieces }
}

function streamedAnswer(run: CallRun, begun: BegunResponse, keep?: Keep): Answer {
  const { gateway, call } = run
  const { answer } = begun
  const headers = answerHeaders(gateway, call)
  const settled = (error?: GatewayError) => settle(run, begun, error)
  switch (answer.kind) {
    case 'media': {
      const { contentType, length } = answer
      const pieces = watchedPieces(answer.pieces, settled)
      return {
        kind: 'stream',
        headers,
        contentType,
        ...(length !== undefined && { length }),
        pieces,
      }
    }
    case 'steps': {
      const writer = writerOf(call)
      const pieces = writtenSteps(answer.steps, writer, settled)
      const { contentType } = writer
      return { kind: 'stream', headers, contentType, pieces: keptPieces(pieces, writer, keep) }
    }
    case 'passed': {
      const { contentType } = answer
      const pieces = passedPieces(answer, { call, writer: writerOf(call), settled })
      return { kind: 'stream', headers, contentType, pieces: keptPieces(pieces, answer, keep) }
    }
    default:
      throw new GatewayError('internal', 'A whole answer is no stream')
  }
}

function writerOf({ writer }: Call) {
  if (!writer) throw new GatewayError('internal', 'A stream came that nobody asked for')
  return writer
}

/** Records the outcome of a finished stream on the trail, for the end of the call and the log. */
function settle(
  { call: { trail } }: CallRun,
  begun: BegunResponse,
  error: GatewayError | undefined,
) {
  trail.usage = begun.attempt.usage()
  trail.outcome = !error ? 'completed' : error.code === 'cancelled' ? 'cancelled' : 'incomplete'
  if (trail.outcome === 'incomplete') trail.failure = error
}

/** Response headers for the caller: provider, model, number of attempts, timing and dropped fields. */
export function answerHeaders(
  { now }: Pick<CallParts, 'now'>,
  { trail, format }: Call,
): Readonly<Record<string, string>> {
  const totalMs = now() - trail.startedAt
  const total = `total;dur=${totalMs}`
  const headers: Record<string, string> = {
    'x-sluice-attempts': String(trail.attempts),
    'server-timing':
      trail.upstreamMs === undefined ? total : `upstream;dur=${trail.upstreamMs}, ${total}`,
  }
  const processing = format.headers?.processingMs
  if (processing !== undefined) headers[processing] = String(totalMs)
  if (trail.provider !== undefined) headers['x-sluice-provider'] = headerText(trail.provider)
  if (trail.model !== undefined) headers['x-sluice-model'] = headerText(trail.model)
  if (trail.dropped.size > 0)
    headers['x-sluice-dropped'] = headerText([...trail.dropped].join(', '))
  return headers
}
