import { GatewayError, type OperationName, operations, type ResultOf } from '@sluice/contract'
import { type EngineContext, engineCard, type EngineOperation } from '@sluice/engine'
import { modelOf } from '../call/call.ts'
import type { AnyStep } from '../call/canonical.ts'
import type { EngineTarget } from '../route/routing.ts'
import { asWritten, type CallRun, reportsOf } from './call-run.ts'
import { Attempt, type AttemptAnswer, type BegunResponse } from './attempt.ts'
import type { Cancellation } from '../call/cancellation.ts'
import { Delivery } from './delivery.ts'
import { noteExpectedInput } from './estimate.ts'
import { namedFilesOf } from '../call/named-files.ts'
import { createPace } from './pace.ts'
import { prepareEngine } from './prepare-engine.ts'
import { pulledSource } from './pulled-source.ts'
import { type Source, through } from '../call/source.ts'
import { untilAborted } from '../call/until-aborted.ts'

/**
 * Runs one request on an in-process engine. Rejects with a GatewayError; the caller has then seen nothing of the
 * response.
 */
export async function askEngine(
  run: CallRun,
  target: EngineTarget,
  cancellation: Cancellation,
): Promise<BegunResponse> {
  const { call } = run
  const engine = await target.engine()
  const answering = engine[call.operation] as
    | EngineOperation<OperationName, Required<EngineContext>>
    | undefined
  if (!answering)
    throw new GatewayError(
      'unsupported_value',
      `${target.id} does not offer: ${operations[call.operation].summary.toLowerCase()}`,
      { param: 'model' },
    )
  const request = prepareEngine(run, target)
  noteExpectedInput(call)
  const attempt = new Attempt(run, target, cancellation)
  try {
    attempt.deadline.wait(call.stream ? 'first token' : 'headers')
    // Third-party engines may ignore the signal.
    const result = await untilAborted(
      answering(request, engineContext(run, target, attempt.signal)),
      attempt.signal,
    )
    const answer = await answerOf(attempt, target, result)
    return { attempt, target, firstContentMs: attempt.elapsedMs, answer }
  } catch (thrown) {
    throw attempt.fail(asWritten(call, attempt.signal.aborted ? attempt.signal.reason : thrown))
  }
}

function engineContext(
  run: CallRun,
  target: EngineTarget,
  signal: AbortSignal,
): Required<EngineContext> {
  const { gateway, route, call } = run
  const { publish } = gateway.engineContext
  return {
    model: modelOf(call) ?? route.model,
    key: call.key.id,
    signal,
    fetchMedia: (url, options) =>
      namedFilesOf(gateway.engineContext, call).fetch(url, { ...options, signal }),
    publish: async (bytes, contentType) =>
      call.origin.publicAddress + (await publish(bytes, contentType)),
    now: gateway.now,
    newId: gateway.newId,
    random: gateway.random,
    target: target.model,
    ...reportsOf(run, target),
  }
}

async function answerOf(
  attempt: Attempt,
  target: EngineTarget,
  result: ResultOf<OperationName>,
): Promise<AttemptAnswer> {
  if (result.kind === 'reply') {
    attempt.complete(result.usage)
    return { kind: 'reply', reply: result.reply }
  }
  if (result.kind === 'bytes') {
    const { contentType, length, usage, body } = result
    attempt.report(usage)
    attempt.begin()
    attempt.deadline.wait('total')
    return { kind: 'media', contentType, length, pieces: pulledSource(attempt, iteratorOf(body)) }
  }
  const iterator = iteratorOf(result.events)
  // The caller has seen nothing before the first step, so another target can still answer.
  const first = await untilAborted(iterator.next(), attempt.signal)
  attempt.begin()
  attempt.deadline.wait('idle')
  // Other engines stream as their models do.
  const isComputed = target.providerId === engineCard.id
  const tick = isComputed ? createPace(attempt.signal) : undefined
  // Usage is no part of the text.
  const pace = tick && ((step: AnyStep) => ('usage' in step ? undefined : tick()))
  const steps = pulledSource(attempt, iterator, { first, ...(pace && { pace }) })
  return { kind: 'steps', steps: batched(attempt, steps) }
}

function iteratorOf<T>(items: AsyncIterable<T>): AsyncIterator<T> {
  return items[Symbol.asyncIterator]()
}

function batched(attempt: Attempt, steps: Source<AnyStep>): Source<readonly AnyStep[]> {
  const delivered = new Delivery()
  attempt.delivers(delivered)
  return through(steps, (sink) => ({
    push(step) {
      if ('usage' in step) attempt.report(step.usage)
      else delivered.add(step)
      sink.push([step])
    },
    end: () => sink.end(),
    fail: (error) => sink.fail(error),
  }))
}
