import { GatewayError } from '@sluice/contract'
import type { Attempt } from './attempt.ts'
import type { Sink, Source } from '../call/source.ts'
import { untilAborted } from '../call/until-aborted.ts'

interface PullOptions<T> {
  /** The first item, if it has been pulled already. */
  readonly first?: IteratorResult<T>
  /** Awaited before each item. */
  readonly pace?: (item: T) => Promise<void> | undefined
}

/**
 * Turns an engine's iterator into a stream of the attempt. Items are pulled no faster than the reader takes them. An
 * engine that ignores its signal is left running.
 */
export function pulledSource<T>(
  attempt: Attempt,
  iterator: AsyncIterator<T>,
  { first, pace }: PullOptions<T> = {},
): Source<T> {
  let wake: (() => void) | undefined
  let waiting: Promise<void> | undefined

  function resume(): void {
    if (!waiting) return
    waiting = undefined
    attempt.resume()
    wake?.()
  }

  async function pull(sink: Sink<T>): Promise<void> {
    let next = first ?? (await untilAborted(iterator.next(), attempt.signal))
    while (next.done !== true) {
      const wait = pace?.(next.value)
      if (wait) {
        await wait
        if (attempt.isOver) return
      }
      attempt.deadline.progress()
      sink.push(next.value)
      await waiting
      if (attempt.isOver) return
      next = await untilAborted(iterator.next(), attempt.signal)
    }
    attempt.complete()
    sink.end()
  }

  return {
    flow(sink) {
      attempt.onBreak({ fail: resume })
      pull(sink)
        .catch((thrown: unknown) => {
          const { signal } = attempt
          sink.fail(attempt.fail(GatewayError.from(signal.aborted ? signal.reason : thrown)))
        })
        .finally(() => {
          // Not awaited: an iterator that hangs would never settle.
          iterator.return?.(undefined)?.catch(() => {})
        })
        .catch(() => {})
    },
    pause() {
      waiting ??= new Promise((resolve) => {
        wake = resolve
      })
      attempt.pause()
    },
    resume,
    cancel: (error) => attempt.break(error),
  }
}
