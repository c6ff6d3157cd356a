import { invalidRequest } from '@sluice/contract'
import type { HeldBytes } from './held-bytes.ts'

/** As EngineContext.fetchMedia, with the call's signal. */
export type FetchMedia = (
  url: string,
  options: {
    readonly bytesMax: number
    readonly param: string
    readonly signal: AbortSignal
    /** Called with the length of each chunk as it arrives; an error it throws ends the fetch. */
    readonly counted?: (length: number) => void
  },
) => Promise<{ readonly bytes: Uint8Array; readonly contentType: string | undefined }>

/** Limits on the files one request may reference. */
export interface NamedFileLimits {
  readonly count: number
  /** Total bytes of all files. */
  readonly bytes: number
}

/** Concurrent connections one request may open to external hosts. */
const atOnce = 6

type Fetched = Awaited<ReturnType<FetchMedia>>
type FetchOptions = Parameters<FetchMedia>[1]

/**
 * Fetches the files referenced by one request, for all its attempts. Limited in count, bytes and concurrency. A
 * fetched file is not fetched again.
 */
export class NamedFiles {
  readonly #fetch: FetchMedia
  readonly #limits: NamedFileLimits
  readonly #held: HeldBytes
  /** By URL. */
  readonly #fetched = new Map<string, Fetched>()
  /** Every place that references a file and has been counted. */
  readonly #places = new Set<string>()
  #bytes = 0
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(fetch: FetchMedia, limits: NamedFileLimits, held: HeldBytes) {
    this.#fetch = fetch
    this.#limits = limits
    this.#held = held
  }

  /** As `FetchMedia`. Throws `invalid_request` with the field that exceeds a limit. */
  async fetch(url: string, options: FetchOptions): Promise<Fetched> {
    // Data URLs were already counted with the request body.
    if (!/^https?:/i.test(url)) return this.#fetch(url, options)
    const { param } = options
    const isNew = this.#addPlace(param, url)
    const known = this.#fetched.get(url)
    if (known) {
      // The file is sent once for every place that references it.
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

/** How files are fetched, and within which limits. */
export interface Fetching {
  readonly fetchMedia: FetchMedia
  readonly namedFileLimits: () => NamedFileLimits
}

/** The parts of a call that fetching files needs. */
interface Naming {
  readonly trail: { files?: NamedFiles }
  readonly held: HeldBytes
}

/** The files of a call, shared by all its attempts. */
export function namedFilesOf(fetching: Fetching, { trail, held }: Naming): NamedFiles {
  trail.files ??= new NamedFiles(fetching.fetchMedia, fetching.namedFileLimits(), held)
  return trail.files
}
