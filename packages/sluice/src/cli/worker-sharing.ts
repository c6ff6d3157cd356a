import {
  MemorySignInAttempts,
  type SignInAttempts,
} from '@sluice/server/sign-in/sign-in-attempts.ts'
import type { BegunCall, LiveCalls, RefusedCall } from '@sluice/gateway/observe/live-calls.ts'
import type { MessageName, ProcessLink } from '@sluice/store/limits/process-link.ts'
import type { KeyTurns } from '@sluice/gateway/route/key-turns.ts'
import type { SharedLimit } from '@sluice/gateway/route/limited-keys.ts'

/** Shares live calls and sign-in attempts between workers, through the primary process. */
export class WorkerSharing {
  readonly #links = new Map<ProcessLink, Watcher>()
  readonly #attempts = new MemorySignInAttempts()

  serve(link: ProcessLink): void {
    this.#links.set(link, { isWatching: false, isNotified: false })
    link.serve('live.watched', (isWatched) => {
      this.#setWatching(link, isWatched === true)
    })
    for (const name of ['live.began', 'live.refused'])
      link.serve(name, (event) => {
        for (const [other, { isWatching }] of this.#links)
          if (isWatching && other !== link) other.tell(name, event)
      })
    link.serve(keyLimited, (limit) => {
      for (const other of this.#links.keys()) if (other !== link) other.tell(keyLimited, limit)
    })
    link.serve('signIn.count', (address) => this.#attempts.count(String(address), Date.now()))
    link.serve('signIn.succeeded', (address) => this.#attempts.succeeded(String(address)))
    link.whenClosed(() => {
      this.#setWatching(link, false)
      this.#links.delete(link)
    })
    this.#notify()
  }

  #setWatching(link: ProcessLink, isWatching: boolean): void {
    const watcher = this.#links.get(link)
    if (watcher) watcher.isWatching = isWatching
    this.#notify()
  }

  /** Notifies each worker whether another one is being watched. */
  #notify(): void {
    for (const [link, watcher] of this.#links) {
      const isWatched = [...this.#links].some(([other, one]) => one.isWatching && other !== link)
      if (isWatched === watcher.isNotified) continue
      watcher.isNotified = isWatched
      link.tell('live.watched', isWatched)
    }
  }
}

interface Watcher {
  isWatching: boolean
  /** Whether its worker knows that another one is being watched. */
  isNotified: boolean
}

/** Shares live calls with the other workers. */
export function shareLiveCalls(live: LiveCalls, link: ProcessLink): void {
  link.serve('live.watched', (isWatched) => live.setWatchedElsewhere(isWatched === true))
  // The other side forwards what a worker has sent.
  link.serve('live.began', (begun) => live.beganElsewhere(begun as BegunCall))
  link.serve('live.refused', (refused) => live.refusedElsewhere(refused as RefusedCall))
  live.share({
    watched: (isWatched) => link.tell('live.watched', isWatched),
    began: (begun) => link.tell('live.began', begun),
    refused: (refused) => link.tell('live.refused', refused),
  })
}

const keyLimited: MessageName<SharedLimit> = 'key.limited'

/** Shares the limits that keys have met with the other workers. */
export function shareKeyLimits(
  keys: Pick<KeyTurns, 'shareLimits' | 'keyLimitedElsewhere'>,
  link: ProcessLink,
): void {
  link.serve(keyLimited, (limit) => keys.keyLimitedElsewhere(limit))
  keys.shareLimits((limit) => link.tell(keyLimited, limit))
}

/** Counts sign-in attempts of all workers together. */
export function sharedSignInAttempts(link: ProcessLink): SignInAttempts {
  return {
    count: (address) => link.ask('signIn.count', address).then(() => {}),
    succeeded: (address) => link.tell('signIn.succeeded', address),
  }
}
