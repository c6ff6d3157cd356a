import { type EventBlock, GatewayError, type OperationName, type Usage } from '@sluice/contract'
import type { StreamReader } from '@sluice/protocols'
import { createSplitter, type Framing } from './splitters.ts'
import {
  type AnyStep,
  type AttemptAnswer,
  type AttemptInput,
  type Gated,
  untilContent,
} from './attempt.ts'
import { refuseErrorBody } from './error-body.ts'
import type { Deadline } from './deadline.ts'
import { guard, type GuardedBatch } from './guard.ts'
import type { Meter } from './meter.ts'
import type { Prepared, UpstreamTarget } from './prepare.ts'
import { type Incoming, receive } from './send.ts'

interface Opening {
  readonly target: UpstreamTarget
  readonly prepared: Prepared
  readonly incoming: Incoming
  readonly deadline: Deadline
  readonly meter: Meter
}

/** An upstream's stream up to its first content. Rejects where it fails before. */
export async function openStream(input: AttemptInput, opening: Opening): Promise<AttemptAnswer> {
  const { prepared, incoming, deadline } = opening
  const framing = framingOf(input, prepared)
  await refuseWrongType(opening, framing)
  const watcher =
    prepared.mode === 'native' ? prepared.native.watcher() : prepared.codec.stream?.watcher()
  if (!watcher) throw new GatewayError('internal', 'A codec without a stream was asked for one')
  const guarded = guard(incoming.body, {
    splitter: await createSplitter(framing),
    // Only bytes that pass have to hide what the caller did not ask for; a reader needs all there is.
    watcher: prepared.mode === 'native' && !callerAsked(input) ? watcher : withUsageShown(watcher),
    deadline,
    comments: prepared.mode === 'native',
    close: () => incoming.body.destroy(),
    skipped: () =>
      input.gateway.log.warn({ call: input.call.id }, 'skipped an unreadable line of an upstream'),
  })
  const usage = () => watcher.usage()
  if (prepared.mode === 'native') {
    const batches = await untilContent(gate(guarded, (blocks) => blocks))
    return {
      kind: 'blocks',
      batches: metered(batches, opening, usage),
      contentType: incoming.headers['content-type'] ?? 'text/event-stream',
      usage,
    }
  }
  const { codec, context, canonical } = prepared
  const reader = codec.stream?.reader(context, canonical)
  if (!reader) throw new GatewayError('internal', 'A codec without a stream was asked for one')
  const said: Said = { usage: undefined }
  const steps = translated(guarded, reader, said)
  const latest = () => said.usage ?? usage()
  return {
    kind: 'steps',
    batches: metered(await untilContent(steps), opening, latest),
    usage: latest,
  }
}

function framingOf({ call }: AttemptInput, prepared: Prepared): Framing {
  if (prepared.mode === 'codec') return prepared.codec.stream?.framing ?? 'sse'
  const { framing = 'sse' } = prepared.native
  return typeof framing === 'function' ? framing(call.query) : framing
}

/** The caller asked for usage itself: then the chunk is not hidden. */
function callerAsked({ call }: AttemptInput): boolean {
  const options = call.request['stream_options']
  return (
    typeof options === 'object' &&
    options !== null &&
    'include_usage' in options &&
    options.include_usage === true
  )
}

function withUsageShown(watcher: {
  see: Parameters<typeof guard>[1]['watcher']['see']
  usage: () => Usage | undefined
}) {
  return {
    see: (event: EventBlock) => watcher.see(event),
    usage: () => watcher.usage(),
    usageOnly: false,
  }
}

async function* gate<T>(
  batches: AsyncIterable<GuardedBatch>,
  map: (blocks: readonly EventBlock[]) => T,
): AsyncGenerator<Gated<T>> {
  for await (const { blocks, content } of batches) yield { value: map(blocks), content }
}

interface Said {
  usage: Usage | undefined
}

async function* translated(
  batches: AsyncIterable<GuardedBatch>,
  reader: StreamReader<OperationName>,
  said: Said,
): AsyncGenerator<Gated<readonly AnyStep[]>> {
  const note = (steps: readonly AnyStep[]): readonly AnyStep[] => {
    for (const step of steps) if ('usage' in step) said.usage = step.usage
    return steps
  }
  for await (const { blocks, content } of batches) {
    const steps = note(blocks.flatMap((block) => reader.read(block)))
    if (steps.length > 0 || content) yield { value: steps, content }
  }
  const last = note(reader.end())
  if (last.length > 0) yield { value: last, content: true }
}

/** Closes the meter, the deadline and the socket whichever way the stream ends. */
async function* metered<T>(
  batches: AsyncIterable<T>,
  { meter, deadline }: Opening,
  usage: () => Usage | undefined,
): AsyncGenerator<T> {
  let ended: 'completed' | 'incomplete' | 'cancelled' = 'cancelled'
  try {
    yield* batches
    ended = 'completed'
  } catch (thrown) {
    const cancelled = thrown instanceof GatewayError && thrown.code === 'cancelled'
    ended = cancelled ? 'cancelled' : 'incomplete'
    throw thrown
  } finally {
    meter.close(ended, usage())
    // A whole stream has let go of its socket already; an abort would only cost two errors and a connection.
    if (ended !== 'completed') deadline.abort(new GatewayError('cancelled', 'The stream is over'))
    deadline[Symbol.dispose]()
  }
}

const streamTypes: Readonly<Record<Framing, RegExp>> = {
  sse: /text\/event-stream|application\/octet-stream|^$/,
  'aws-event-stream': /vnd\.amazon\.eventstream|application\/octet-stream|^$/,
  'json-array': /json|^$/,
}

async function refuseWrongType({ incoming, target }: Opening, framing: Framing): Promise<void> {
  const type = incoming.headers['content-type'] ?? ''
  if (streamTypes[framing].test(type)) return
  const received = await receive(incoming)
  refuseErrorBody(target, received)
  throw new GatewayError(
    'upstream_garbled',
    `${target.providerId} answered a stream with ${type.split(';')[0]}`,
  )
}
