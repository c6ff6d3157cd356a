import {
  MemorySignInAttempts,
  type SignInAttempts,
} from '@sluice/server/sign-in/sign-in-attempts.ts'
import type { BegunCall, LiveCalls, RefusedCall } from '@sluice/gateway/observe/live-calls.ts'
import type { ProcessLink } from '@sluice/store/limits/process-link.ts'

/** Shares live calls and sign-in attempts between workers, through the primary process. */
export class WorkerSharing {
  readonly #links = new Map<ProcessLink, Watcher>()
  readonly #attempts = new MemorySignInAttempts()

  serve(link: ProcessLink): void {
    this.#links.set(link, { isWatching: false, isTold: false })
    link.serve('live.watched', (isWatched) => {
      this.#setWatching(link, isWatched === true)
    })
    for (const name of ['live.began', 'live.refused'])
      link.serve(name, (told) => {
        for (const [other, { isWatching }] of this.#links)
          if (isWatching && other !== link) other.tell(name, told)
      })
    link.serve('signIn.count', (address) => this.#attempts.count(String(address), Date.now()))
    link.serve('signIn.succeeded', (address) => this.#attempts.succeeded(String(address)))
    link.whenClosed(() => {
      this.#setWatching(link, false)
      this.#links.delete(link)
    })
    this.#tell()
  }

  #setWatching(link: ProcessLink, isWatching: boolean): void {
    const watcher = this.#links.get(link)
    if (watcher) watcher.isWatching = isWatching
    this.#tell()
  }

  /** Tells each worker whether another one is being watched. */
  #tell(): void {
    for (const [link, watcher] of this.#links) {
      const isWatched = [...this.#links].some(([other, one]) => one.isWatching && other !== link)
      if (isWatched === watcher.isTold) continue
      watcher.isTold = isWatched
      link.tell('live.watched', isWatched)
    }
  }
}

interface Watcher {
  isWatching: boolean
  /** Whether its worker knows that another one is being watched. */
  isTold: boolean
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

/** Counts sign-in attempts of all workers together. */
export function sharedSignInAttempts(link: ProcessLink): SignInAttempts {
  return {
    count: (address) => link.ask('signIn.count', address).then(() => {}),
    succeeded: (address) => link.tell('signIn.succeeded', address),
  }
}
