import { invalidRequest } from '@sluice/contract'
import type { HeldBytes } from '../held-bytes.ts'

/** As EngineContext.fetchMedia, with the call's signal. */
export type FetchMedia = (
  url: string,
  options: {
    readonly bytesMax: number
    readonly param: string
    readonly signal: AbortSignal
    /** Told of every piece as it comes; what it throws ends the fetch. */
    readonly counted?: (length: number) => void
  },
) => Promise<{ readonly bytes: Uint8Array; readonly contentType: string | undefined }>

/** What one request may name for fetching. */
export interface NamedFileLimits {
  readonly count: number
  /** Of all files together. */
  readonly bytes: number
}

/** Connections to strangers that one request opens at the same time. */
const atOnce = 6

type Fetched = Awaited<ReturnType<FetchMedia>>
type FetchOptions = Parameters<FetchMedia>[1]

/**
 * Fetches the files that one request names, for every attempt of it: bounded in number, in bytes and in how many are
 * on their way at the same time. What has come is not fetched again.
 */
export class NamedFiles {
  readonly #fetch: FetchMedia
  readonly #limits: NamedFileLimits
  readonly #held: HeldBytes
  /** By address. */
  readonly #fetched = new Map<string, Fetched>()
  /** Every place that names a file, and what was charged for it. */
  readonly #places = new Set<string>()
  #bytes = 0
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(fetch: FetchMedia, limits: NamedFileLimits, held: HeldBytes) {
    this.#fetch = fetch
    this.#limits = limits
    this.#held = held
  }

  /** As Gateway.engineContext.fetchMedia. Throws `invalid_request` with the field that was one too many. */
  async fetch(url: string, options: FetchOptions): Promise<Fetched> {
    // What stands in the request itself was counted with it.
    if (!/^https?:/i.test(url)) return this.#fetch(url, options)
    const { param } = options
    const isNew = this.#addPlace(param, url)
    const known = this.#fetched.get(url)
    if (known) {
      // It leaves with the request once for every place.
      if (isNew) this.#add(known.bytes.length, param)
      return known
    }
    await this.#turn()
    try {
      const counted = (length: number): void => this.#add(length, param)
      const fetched = await this.#fetch(url, { ...options, counted })
      this.#fetched.set(url, fetched)
      return fetched
    } finally {
      this.#running -= 1
      this.#waiting.shift()?.()
    }
  }

  #addPlace(param: string, url: string): boolean {
    const place = `${param} ${url}`
    if (this.#places.has(place)) return false
    this.#places.add(place)
    const { count } = this.#limits
    if (this.#places.size > count)
      throw invalidRequest(`The request names more than ${count} files to fetch`, param)
    return true
  }

  #add(length: number, param: string): void {
    this.#bytes += length
    const { bytes } = this.#limits
    if (this.#bytes > bytes)
      throw invalidRequest(`The files that the request names have more than ${bytes} bytes`, param)
    this.#held.add(length)
  }

  async #turn(): Promise<void> {
    if (this.#running >= atOnce)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve)
      })
    this.#running += 1
  }
}

/** How files are fetched. */
export interface Fetching {
  readonly fetchMedia: FetchMedia
  readonly namedFileLimits: () => NamedFileLimits
}

/** A call, as far as it names files. */
interface Naming {
  readonly trail: { files?: NamedFiles }
  readonly held: HeldBytes
}

/** The files of a call, the same for all its attempts. */
export function namedFilesOf(fetching: Fetching, { trail, held }: Naming): NamedFiles {
  trail.files ??= new NamedFiles(fetching.fetchMedia, fetching.namedFileLimits(), held)
  return trail.files
}
