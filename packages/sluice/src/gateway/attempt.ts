import {
  type EventBlock,
  type EventOf,
  GatewayError,
  type OperationName,
  type ReplyOf,
  type RequestOf,
  type Step,
  type Usage,
} from '@sluice/contract'
import type { Received } from '@sluice/protocols'
import type { Call, Gateway } from './gateway.ts'
import type { Meter } from './meter.ts'
import type { Route, Target } from './routing.ts'

export type AnyStep = Step<EventOf<OperationName>>
export type AnyRequest = RequestOf<OperationName>
export type AnyReply = ReplyOf<OperationName>

/** What an attempt needs besides its target. */
export interface AttemptInput {
  readonly gateway: Gateway
  readonly call: Call
  readonly route: Route
  /** The canonical request; made once, when the first target needs it. */
  readonly canonical: () => AnyRequest
  /** Counted over the whole call, from 1. */
  readonly attempt: number
  /** Aborts when the caller leaves or another target has won. */
  readonly signal: AbortSignal
}

/**
 * An answer that has begun. A stream has shown its first content (or its end): until then nothing was promised and
 * another target could still take over. Whoever takes the answer must read it to its end or call `abandon`.
 */
export interface Attempted {
  readonly target: Target
  readonly attempt: number
  readonly meter: Meter
  /** Milliseconds from the start of the attempt to the first content. */
  readonly firstContentMs: number
  readonly answer: AttemptAnswer
  /** Ends the attempt and closes its socket; the meter says cancelled. */
  abandon(): void
}

export type AttemptAnswer =
  | {
      readonly kind: 'reply'
      readonly reply: AnyReply
      readonly usage: Usage | undefined
      readonly jobId?: string
    }
  /** The upstream's own bytes, in the caller's format. */
  | { readonly kind: 'native'; readonly received: Received; readonly usage: Usage | undefined }
  | {
      readonly kind: 'steps'
      readonly batches: AsyncIterable<readonly AnyStep[]>
      /** What has been said of usage so far. */
      readonly usage?: () => Usage | undefined
    }
  /** The upstream's own events, in the caller's format. */
  | {
      readonly kind: 'blocks'
      readonly batches: AsyncIterable<readonly EventBlock[]>
      readonly contentType: string
      readonly usage: () => Usage | undefined
    }
  | {
      readonly kind: 'media'
      readonly contentType: string
      readonly body: AsyncIterable<Uint8Array>
      readonly length: number | undefined
      readonly usage: Usage | undefined
    }

/** A batch that has not been looked at further than this. */
export interface Gated<T> {
  readonly value: T
  readonly content: boolean
}

/** More than this before the first content is no preamble: the stream is let through as it is. */
const preambleMax = 512

/**
 * Waits until a stream shows content, then gives it back whole. Rejects with the stream's own failure, in which case
 * nobody has seen anything of it.
 */
export async function untilContent<T>(batches: AsyncIterable<Gated<T>>): Promise<AsyncIterable<T>> {
  const iterator = batches[Symbol.asyncIterator]()
  const seen: T[] = []
  for (;;) {
    const next = await iterator.next()
    if (next.done === true) return replay(seen, undefined)
    seen.push(next.value.value)
    if (next.value.content || seen.length >= preambleMax) return replay(seen, iterator)
  }
}

async function* replay<T>(
  seen: readonly T[],
  rest: AsyncIterator<Gated<T>> | undefined,
): AsyncGenerator<T> {
  try {
    yield* seen
    if (!rest) return
    for (;;) {
      const next = await rest.next()
      if (next.done === true) return
      yield next.value.value
    }
  } finally {
    await rest?.return?.(undefined)
  }
}

/** Refuses, or notes as dropped, what a target cannot express; the path is said in the caller's own format. */
export function unsupportedBy(
  { route, call }: AttemptInput,
  target: Target,
): (param: string, reason?: string) => void {
  return (param, reason) => {
    const path = call.format?.paramOf?.(param) ?? param
    if (route.options.unsupported === 'report') {
      call.trail.dropped.add(path)
      return
    }
    const why = reason === undefined ? '' : `: ${reason}`
    throw new GatewayError(
      'unsupported_parameter',
      `'${path}' is not supported by ${target.providerId} for this model${why}`,
      { param: path },
    )
  }
}
