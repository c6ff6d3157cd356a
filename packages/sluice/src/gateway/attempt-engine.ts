import { GatewayError, type OperationName, operations, type Usage } from '@sluice/contract'
import type { EngineContext, EngineOperation } from '@sluice/engine'
import {
  type AnyStep,
  type Attempted,
  type AttemptInput,
  type Gated,
  unsupportedBy,
  untilContent,
} from './attempt.ts'
import { type Deadline, openDeadline } from './deadline.ts'
import { asFailure } from './guard.ts'
import { type Meter, openMeter } from './meter.ts'
import type { Target } from './routing.ts'
import { untilAborted } from './until-aborted.ts'

type EngineTarget = Extract<Target, { kind: 'engine' }>

/** One answer of an engine in this process. */
export async function attemptEngine(input: AttemptInput, target: EngineTarget): Promise<Attempted> {
  const { gateway, call, attempt } = input
  const engine = await target.engine()
  const run = engine[call.operation] as EngineOperation<OperationName> | undefined
  if (!run)
    throw new GatewayError(
      'unsupported_value',
      `${target.id} does not offer: ${operations[call.operation].summary.toLowerCase()}`,
      { param: 'model' },
    )
  const request = input.canonical()
  const meter = openMeter(gateway, call, target, attempt)
  const deadline = openDeadline(input.signal, target.timeouts)
  const startedAt = gateway.now()
  const close = () => deadline[Symbol.dispose]()
  try {
    deadline.wait(call.stream ? 'first token' : 'headers')
    // A package of somebody else's may not look at its signal.
    const result = await untilAborted(
      run(request, engineContext(input, target, deadline.signal)),
      deadline.signal,
    )
    const started = {
      target,
      attempt,
      meter,
      firstContentMs: gateway.now() - startedAt,
      abandon() {
        meter.close('cancelled')
        deadline.abort(new GatewayError('cancelled', 'Another target answered first'))
        close()
      },
    }
    if (result.kind === 'reply') {
      close()
      return { ...started, answer: { kind: 'reply', reply: result.reply, usage: result.usage } }
    }
    if (result.kind === 'bytes') {
      const { contentType, length, usage } = result
      deadline.wait('total')
      const body = closing(result.body, close)
      return { ...started, answer: { kind: 'media', contentType, body, length, usage } }
    }
    const steps = await untilContent(gate(result.events, deadline))
    return { ...started, answer: { kind: 'steps', batches: metered(steps, meter, close) } }
  } catch (thrown) {
    const error = GatewayError.from(asFailureOfEngine(thrown, deadline))
    meter.close(error.code === 'cancelled' ? 'cancelled' : 'failed')
    close()
    throw error
  }
}

function asFailureOfEngine(thrown: unknown, deadline: Deadline): unknown {
  return deadline.signal.aborted ? asFailure(thrown, deadline) : thrown
}

function engineContext(
  input: AttemptInput,
  target: EngineTarget,
  signal: AbortSignal,
): EngineContext {
  const { gateway, route, call } = input
  const { workers, fetchMedia, publish } = gateway.engineContext
  return {
    model: typeof call.request['model'] === 'string' ? call.request['model'] : route.model,
    signal,
    workers,
    fetchMedia: (url, options) => fetchMedia(url, { ...options, signal }),
    publish: (bytes, contentType) => call.publicAddress + publish(bytes, contentType),
    now: gateway.now,
    newId: gateway.newId,
    random: gateway.random,
    target: target.model,
    unsupported: unsupportedBy(input, target),
  }
}

async function* closing<T>(pieces: AsyncIterable<T>, close: () => void): AsyncGenerator<T> {
  try {
    yield* pieces
  } finally {
    close()
  }
}

async function* gate(
  steps: AsyncIterable<AnyStep>,
  deadline: Deadline,
): AsyncGenerator<Gated<readonly AnyStep[]>> {
  const iterator = steps[Symbol.asyncIterator]()
  let isFirst = true
  try {
    for (;;) {
      const next = await untilAborted(iterator.next(), deadline.signal)
      if (next.done === true) return
      if (isFirst) deadline.wait('idle')
      isFirst = false
      deadline.progress()
      deadline.hold()
      yield { value: [next.value], content: true }
      deadline.resume()
    }
  } catch (thrown) {
    throw asFailureOfEngine(thrown, deadline)
  } finally {
    // Not waited for: one that never goes on never ends either.
    iterator.return?.(undefined).catch(() => {})
  }
}

async function* metered(
  batches: AsyncIterable<readonly AnyStep[]>,
  meter: Meter,
  close: () => void,
): AsyncGenerator<readonly AnyStep[]> {
  let usage: Usage | undefined
  let ended: 'completed' | 'incomplete' | 'cancelled' = 'cancelled'
  try {
    for await (const steps of batches) {
      for (const step of steps) if ('usage' in step) usage = step.usage
      yield steps
    }
    ended = 'completed'
  } catch (thrown) {
    ended = GatewayError.from(thrown).code === 'cancelled' ? 'cancelled' : 'incomplete'
    throw thrown
  } finally {
    meter.close(ended, usage)
    close()
  }
}
