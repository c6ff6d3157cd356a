import { randomUUID } from 'node:crypto'
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

type VideoPlaces = 'freeVideoPlace' | 'renewVideoPlace' | 'takeVideoPlace'

export interface KeptRoomInput {
  readonly store: Pick<Store, VideoPlaces | 'trimResponses'>
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
   * Makes room for one more video whose files have `bytes` so far: exact among all processes with one database.
   *
   * @throws GatewayError `quota_exceeded` where too many are under way or can still be downloaded.
   */
  async forVideo(keyId: string, bytes: number): Promise<VideoRoom> {
    const { store, limits, now } = this.#input
    const { keptVideos: most } = limits()
    const at = now()
    const id = randomUUID()
    const lacking = await store.takeVideoPlace({ id, keyId, bytes, most, at, until: at + placeMs })
    if (lacking === 'count') throw full('count', `${most.count} videos`)
    if (lacking === 'bytes') throw full('bytes', `${most.bytes} bytes of videos`)
    return new VideoRoom(store, id, now)
  }
}

/** The place of a process that died is free again after so long; one that lives renews it meanwhile. */
const placeMs = 60_000
const renewalMs = placeMs / 3

/** Room for a video that is being asked for. Disposed of it is free again, unless the video was kept. */
class VideoRoom implements AsyncDisposable {
  readonly #store: Pick<Store, VideoPlaces>
  readonly #id: string
  readonly #renewal: NodeJS.Timeout
  #isKept = false

  constructor(store: Pick<Store, VideoPlaces>, id: string, now: () => number) {
    this.#store = store
    this.#id = id
    this.#renewal = setInterval(() => {
      // Where the store cannot be reached the next time may do.
      store.renewVideoPlace(id, now() + placeMs).catch(() => {})
    }, renewalMs).unref()
  }

  /** Stores the video, by the place that it comes into. */
  async keep<T>(store: (placeId: string) => Promise<T>): Promise<T> {
    const stored = await store(this.#id)
    this.#isKept = true
    return stored
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#renewal)
    if (!this.#isKept) await this.#store.freeVideoPlace(this.#id)
  }
}

function full(limit: keyof KeptAmount, most: string): GatewayError {
  return new GatewayError(
    'quota_exceeded',
    `This key may keep ${most} (limits.keptVideos.${limit}): delete some, or wait until they expire`,
    { publicCode: 'kept_videos_exceeded' },
  )
}
