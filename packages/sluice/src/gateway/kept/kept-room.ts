import { GatewayError } from '@sluice/contract'
import type { KeptAmount, Store, StoredResponse } from '../../ports/store.ts'

/** How much of each kind a key may keep. */
export interface KeptLimits {
  readonly keptResponses: KeptAmount
  readonly keptVideos: KeptAmount
}

/** The database is asked what a key keeps whenever it has added this part of what it may keep. */
const lookPart = 1 / 64
/** Of so many keys it is remembered what they have added; one that is forgotten is looked at with its next response. */
const keysMax = 10_000

export interface KeptRoomInput {
  readonly store: Pick<Store, 'trimResponses' | 'trimVideoJobs'>
  readonly limits: () => KeptLimits
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * Holds each key to what it may keep, so that none fills the disk. Responses are stored unless a caller says otherwise, so
 * the oldest go and no call is refused; of videos, which somebody waits for, only those that are over go by themselves.
 */
export class KeptRoom {
  readonly #input: KeptRoomInput
  /** What each key has added since it was looked at. */
  readonly #added = new Map<string, KeptAmount>()

  /** Videos that are being made and are not stored yet, by key. */
  readonly #made = new Map<string, KeptAmount>()
  /** The last of those that wait for their turn, by key. */
  readonly #turns = new Map<string, Promise<void>>()

  constructor(input: KeptRoomInput) {
    this.#input = input
  }

  /** To be told of each response after it was stored. A key exceeds its bounds by a 64th at most, and by one response. */
  async responseAdded({ keyId, response, input }: StoredResponse): Promise<void> {
    const { count, bytes } = this.#input.limits().keptResponses
    const before = this.#added.get(keyId)
    const added = {
      count: (before?.count ?? 0) + 1,
      bytes: (before?.bytes ?? 0) + Buffer.byteLength(response) + Buffer.byteLength(input),
    }
    const isDue = added.count >= count * lookPart || added.bytes >= bytes * lookPart
    if (before !== undefined && !isDue) {
      this.#added.set(keyId, added)
      return
    }
    if (this.#added.size >= keysMax) this.#added.clear()
    this.#added.set(keyId, { count: 0, bytes: 0 })
    await this.#input.store.trimResponses(keyId, { count, bytes })
  }

  /**
   * Makes room for one more video whose files have `bytes` so far. Exact among the calls of this process: what others are
   * about to keep counts. Several processes on one database may each let in one more at the same moment.
   *
   * @throws GatewayError `quota_exceeded` where too many are under way or can still be downloaded.
   */
  forVideo(keyId: string, bytes: number): Promise<VideoPlace> {
    return this.inTurn(keyId, async () => {
      const { keptVideos: most } = this.#input.limits()
      const at = Math.floor(this.#input.now() / 1000)
      const made = this.#made.get(keyId) ?? nothing
      const count = most.count - 1 - made.count
      if (count < 0) throw full('count', `${most.count} videos`)
      const stored = await this.#input.store.trimVideoJobs(keyId, { count, at })
      const kept = { count: stored.count + made.count, bytes: stored.bytes + made.bytes }
      if (kept.count >= most.count) throw full('count', `${most.count} videos`)
      if (kept.bytes + bytes > most.bytes || kept.bytes >= most.bytes)
        throw full('bytes', `${most.bytes} bytes of videos`)
      this.change(keyId, { count: 1, bytes })
      return new VideoPlace(this, keyId, bytes)
    })
  }

  /** Changes what is being made for a key. */
  change(keyId: string, by: KeptAmount): void {
    const made = this.#made.get(keyId) ?? nothing
    const next = { count: made.count + by.count, bytes: made.bytes + by.bytes }
    if (next.count > 0) this.#made.set(keyId, next)
    else this.#made.delete(keyId)
  }

  /** One after the other for a key, so that nothing is counted twice or not at all while it is stored. */
  async inTurn<T>(keyId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(keyId)
    const turn = (before ?? Promise.resolve()).then(work)
    const settled = turn.then(
      () => undefined,
      () => undefined,
    )
    this.#turns.set(keyId, settled)
    try {
      return await turn
    } finally {
      if (this.#turns.get(keyId) === settled) this.#turns.delete(keyId)
    }
  }
}

const nothing: KeptAmount = { count: 0, bytes: 0 }

/** Room for a video that is being made. Disposed of it is free again, unless the video was stored. */
class VideoPlace implements Disposable {
  readonly #room: KeptRoom
  readonly #keyId: string
  readonly #bytes: number
  #isFree = false

  constructor(room: KeptRoom, keyId: string, bytes: number) {
    this.#room = room
    this.#keyId = keyId
    this.#bytes = bytes
  }

  /** Stores the video, which takes the place from then on. */
  keep<T>(store: () => Promise<T>): Promise<T> {
    return this.#room.inTurn(this.#keyId, async () => {
      try {
        return await store()
      } finally {
        this[Symbol.dispose]()
      }
    })
  }

  [Symbol.dispose](): void {
    if (this.#isFree) return
    this.#isFree = true
    this.#room.change(this.#keyId, { count: -1, bytes: -this.#bytes })
  }
}

function full(limit: keyof KeptAmount, most: string): GatewayError {
  return new GatewayError(
    'quota_exceeded',
    `This key may keep ${most} (limits.keptVideos.${limit}): delete some, or wait until they expire`,
    { publicCode: 'kept_videos_exceeded' },
  )
}
