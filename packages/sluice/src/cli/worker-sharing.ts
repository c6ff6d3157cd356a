import { Attempts, type SignInAttempts } from '../accounts/attempts.ts'
import type { BegunCall, LiveCalls, RefusedCall } from '../gateway/live-calls.ts'
import type { ProcessLink } from '../storage/process-link.ts'

/** What workers tell each other over the process that started them: calls that begin, and who tries to sign in. */
export class WorkerSharing {
  readonly #links = new Map<ProcessLink, Watcher>()
  readonly #attempts = new Attempts()

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

  /** Each is told whether somebody looks on in another. */
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
  /** Whether its worker knows that somebody looks on elsewhere. */
  isTold: boolean
}

/** Has a worker's live calls told to all, and those of all to it. */
export function shareLiveCalls(live: LiveCalls, link: ProcessLink): void {
  link.serve('live.watched', (isWatched) => live.setWatchedElsewhere(isWatched === true))
  // The other side hands on what a worker has said.
  link.serve('live.began', (begun) => live.beganElsewhere(begun as BegunCall))
  link.serve('live.refused', (refused) => live.refusedElsewhere(refused as RefusedCall))
  live.share({
    watched: (isWatched) => link.tell('live.watched', isWatched),
    began: (begun) => link.tell('live.began', begun),
    refused: (refused) => link.tell('live.refused', refused),
  })
}

/** Attempts of all workers together. */
export function sharedAttempts(link: ProcessLink): SignInAttempts {
  return {
    count: (address) => link.ask('signIn.count', address).then(() => {}),
    succeeded: (address) => link.tell('signIn.succeeded', address),
  }
}
