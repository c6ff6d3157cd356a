import { type EventBlock, type EventSplitter, GatewayError } from '@sluice/contract'
import type { StreamWatcher } from '@sluice/protocols'
import type { Deadline } from './deadline.ts'

/** Good events that arrived together, and whether a caller would see content in them. */
export interface GuardedBatch {
  readonly blocks: readonly EventBlock[]
  readonly content: boolean
}

export interface GuardOptions {
  readonly splitter: EventSplitter
  readonly watcher: StreamWatcher
  readonly deadline: Deadline
  /** Whether comments are handed on, which only a format that passes untouched wants. */
  readonly comments: boolean
  /** Closes the upstream's connection; a wait for a silent body cannot be ended otherwise. */
  readonly close: () => void
  /** Told of every unreadable block that was skipped. */
  readonly skipped: () => void
}

/**
 * Holds an upstream's stream to its word: what comes out is readable, and it ends only after the format's terminal
 * event, or regularly after a whole answer. Everything else throws: `upstream_cut`, `upstream_timeout`,
 * `upstream_garbled`, or the error the upstream itself reported. One unreadable block between good ones is skipped
 * once content has come; before that nothing was promised, so it fails and another target can answer.
 */
export async function* guard(
  body: AsyncIterable<Uint8Array>,
  options: GuardOptions,
): AsyncGenerator<GuardedBatch> {
  const state: State = {
    content: false,
    whole: false,
    terminal: false,
    unreadable: 0,
    failure: undefined,
  }
  const pieces = body[Symbol.asyncIterator]()
  let open = true
  try {
    for (;;) {
      const next = await pieces.next()
      if (next.done === true) break
      const batch = sift(options.splitter.push(next.value), state, options)
      if (batch.blocks.length > 0) {
        options.deadline.hold()
        yield batch
        options.deadline.resume()
      }
      if (state.failure) throw state.failure
      if (!state.terminal) continue
      open = false
      void readToEnd(pieces, options.close)
      return
    }
    open = false
  } catch (thrown) {
    throw asFailure(thrown, options.deadline)
  } finally {
    if (open) await pieces.return?.(undefined)
  }
  const rest = sift(options.splitter.end(), state, options)
  if (rest.blocks.length > 0) yield rest
  if (state.failure) throw state.failure
  if (state.terminal || state.whole) return
  throw new GatewayError(
    'upstream_cut',
    'The upstream ended its stream before the answer was whole',
  )
}

/** What may still come after the terminal event is not waited for longer than this. */
const trailerMs = 500

/** Reads what follows the terminal event, mostly nothing, so that the connection can be used again. */
async function readToEnd(pieces: AsyncIterator<Uint8Array>, close: () => void): Promise<void> {
  const timer = setTimeout(close, trailerMs).unref()
  try {
    while ((await pieces.next()).done !== true);
  } catch {
    // The answer was whole: how its connection ends is nobody's concern.
  } finally {
    clearTimeout(timer)
  }
}

interface State {
  content: boolean
  /** The answer is whole, though the terminal event has not come. */
  whole: boolean
  terminal: boolean
  /** Unreadable blocks in a row. */
  unreadable: number
  /** What went wrong behind the good events of a piece, said once they have been handed on. */
  failure: GatewayError | undefined
}

function sift(
  blocks: readonly EventBlock[],
  state: State,
  { watcher, deadline, comments, skipped }: GuardOptions,
): GuardedBatch {
  const good: EventBlock[] = []
  let content = false
  // Before anything was promised the good events of the same piece are no reason not to try another target.
  const isPromised = state.content
  const fail = (error: GatewayError): void => {
    if (!isPromised || good.length === 0) throw error
    state.failure = error
  }
  for (const block of blocks) {
    if (state.terminal || state.failure) break
    if (block.kind === 'comment') {
      if (comments) good.push(block)
      continue
    }
    const verdict = block.kind === 'unreadable' ? 'garbage' : watcher.see(block)
    if (verdict instanceof GatewayError) {
      fail(verdict)
      continue
    }
    if (verdict === 'garbage') {
      state.unreadable += 1
      skipped()
      if (!state.content || state.unreadable > 1)
        fail(new GatewayError('upstream_garbled', 'The upstream’s stream cannot be read'))
      continue
    }
    state.unreadable = 0
    deadline.progress()
    if (verdict === 'content' || verdict === 'finish' || verdict === 'terminal') {
      if (!state.content) deadline.wait('idle')
      state.content = true
      content = true
    }
    if (verdict === 'finish') state.whole = true
    if (verdict === 'terminal') state.terminal = true
    if (watcher.usageOnly !== true) good.push(block)
  }
  return { blocks: good, content }
}

/** What a broken body means: a limit that was reached, a caller who left, or a cut. */
export function asFailure(thrown: unknown, deadline: Deadline): unknown {
  if (deadline.expired) return deadline.expired
  if (thrown instanceof GatewayError) return thrown
  if (deadline.signal.aborted)
    return new GatewayError('cancelled', 'The call was cancelled', { cause: thrown })
  if (thrown instanceof RangeError)
    return new GatewayError('upstream_garbled', thrown.message, { cause: thrown })
  return new GatewayError('upstream_cut', 'The upstream broke off its stream', { cause: thrown })
}
