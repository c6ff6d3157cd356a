import { randomUUID } from 'node:crypto'
import { GatewayError } from '@sluice/contract'
import type { StoredAmount, Store, StoredResponse } from '../ports/store.ts'

/** How much of each kind a key may store. */
export interface StorageLimits {
  readonly keptResponses: StoredAmount
  readonly keptVideos: StoredAmount
  /** `items` and `bytes` also limit each conversation. */
  readonly keptConversations: StoredAmount & { readonly items: number }
}

/** The database is checked whenever a key has added this fraction of its limit. */
const checkedShare = 1 / 64
/** The number of keys whose additions are tracked. A key that is not tracked is checked with its next response. */
const keysMax = 10_000

type VideoSlots = 'freeVideoSlot' | 'renewVideoSlot' | 'takeVideoSlot'

export interface StorageQuotaInput {
  readonly store: Pick<Store, VideoSlots | 'trimResponses' | 'trimConversations'>
  readonly limits: () => StorageLimits
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * Enforces the storage limits of each key. Responses are stored by default, so the oldest are removed and no request
 * is refused; of conversations, those that were used least recently. Callers wait for their videos, so only finished ones are removed automatically.
 */
export class StorageQuota {
  readonly #input: StorageQuotaInput
  readonly #responses = new Additions()
  readonly #conversations = new Additions()

  constructor(input: StorageQuotaInput) {
    this.#input = input
  }

  /** Called after each response was stored. A key may exceed its limit by a 64th and one response. */
  async responseAdded({ keyId, response, input }: StoredResponse): Promise<void> {
    const most = this.#input.limits().keptResponses
    const bytes = Buffer.byteLength(response) + Buffer.byteLength(input)
    if (this.#responses.isDue(keyId, bytes, most))
      await this.#input.store.trimResponses(keyId, most)
  }

  /** Called after a conversation was created or got items. A key may exceed its limit by a 64th and these items. */
  async conversationGrew(keyId: string, bytes: number): Promise<void> {
    const most = this.#input.limits().keptConversations
    if (this.#conversations.isDue(keyId, bytes, most))
      await this.#input.store.trimConversations(keyId, most)
  }

  /**
   * Reserves room for one more video whose files have `bytes` so far. Exact across all processes on the same
   * database.
   *
   * @throws GatewayError `quota_exceeded` if too many videos are in progress or still downloadable.
   */
  async reserveVideo(keyId: string, bytes: number): Promise<VideoReservation> {
    const { store, limits, now } = this.#input
    const { keptVideos: most } = limits()
    const at = now()
    const id = randomUUID()
    const lacking = await store.takeVideoSlot({ id, keyId, bytes, most, at, until: at + slotMs })
    if (lacking === 'count') throw full('count', `${most.count} videos`)
    if (lacking === 'bytes') throw full('bytes', `${most.bytes} bytes of videos`)
    return new VideoReservation(store, id, now)
  }
}

/** What each key has added since its last check. */
class Additions {
  readonly #added = new Map<string, StoredAmount>()

  /** Counts an addition, and says whether what the key stores is to be checked now. */
  isDue(keyId: string, addedBytes: number, { count, bytes }: StoredAmount): boolean {
    const before = this.#added.get(keyId)
    const added = {
      count: (before?.count ?? 0) + 1,
      bytes: (before?.bytes ?? 0) + addedBytes,
    }
    const isDue = added.count >= count * checkedShare || added.bytes >= bytes * checkedShare
    if (before !== undefined && !isDue) {
      this.#added.set(keyId, added)
      return false
    }
    if (this.#added.size >= keysMax) this.#added.clear()
    this.#added.set(keyId, { count: 0, bytes: 0 })
    return true
  }
}

/** A reservation expires after this time if its process died; a live process renews it. */
const slotMs = 60_000
const renewalMs = slotMs / 3

/** The room reserved for a video. Disposing releases it unless the video was stored. */
class VideoReservation implements AsyncDisposable {
  readonly #store: Pick<Store, VideoSlots>
  readonly #id: string
  readonly #renewal: NodeJS.Timeout
  #isStored = false

  constructor(store: Pick<Store, VideoSlots>, id: string, now: () => number) {
    this.#store = store
    this.#id = id
    this.#renewal = setInterval(() => {
      // If the store cannot be reached, the next renewal may succeed.
      store.renewVideoSlot(id, now() + slotMs).catch(() => {})
    }, renewalMs).unref()
  }

  /** Stores the video in the reserved slot. */
  async use<T>(store: (slotId: string) => Promise<T>): Promise<T> {
    const stored = await store(this.#id)
    this.#isStored = true
    return stored
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#renewal)
    if (!this.#isStored) await this.#store.freeVideoSlot(this.#id)
  }
}

function full(limit: keyof StoredAmount, most: string): GatewayError {
  return new GatewayError(
    'quota_exceeded',
    `This key may keep ${most} (limits.keptVideos.${limit}): delete some, or wait until they expire`,
    { publicCode: 'kept_videos_exceeded' },
  )
}
