import type { CallEnd } from '@sluice/gateway/call/call.ts'
import type { ContentCapture } from '@sluice/gateway/call/content.ts'
import type { ContentLog } from '@sluice/gateway/observe/observers.ts'
import type { ContentStore } from '@sluice/gateway/ports/content.ts'
import { type GatheredCall, openContentThread, type SpanContent } from './content-thread.ts'

export interface ContentLogOptions {
  readonly shelf: Pick<ContentStore, 'add' | 'forget'>
  /** How much of a prompt and a response is stored, and for how long. Read for each call. */
  readonly settings: () => { readonly bytesMax: number; readonly keepDays: number }
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Called when contents are lost: there were too many, or they could not be written. */
  readonly lost: (calls: number, reason: unknown) => void
  /** Spans waiting for their calls' content; absent if spans contain none. */
  readonly spans?: WaitingSpans
}

/** Calls whose spans are sent once their content is masked. */
export interface WaitingSpans {
  isWaiting(callId: string): boolean
  /** `content` is undefined if there is none for the span, or if it was lost. */
  masked(callId: string, content: SpanContent | undefined): void
}

/** Maximum amount waiting to be masked; anything beyond it is lost, which is reported. */
const waitingBytesMax = 64 * 1024 * 1024
const callsPerBatch = 32
const everyMs = 100
const forgetEveryMs = 60 * 60_000
const dayMs = 24 * 60 * 60_000
/** How many times larger a stream's events are than its text. */
const streamFactor = 16

/** Collects a call's prompt and response, up to a limit. */
class Capture implements ContentCapture {
  readonly requestBytes: Uint8Array
  readonly isRequestCut: boolean
  readonly bytesMax: number
  pieces: Buffer[] = []
  size = 0
  isAnswerCut = false
  isStream = false
  #most = 0

  constructor(request: Uint8Array, bytesMax: number) {
    // Copied, because a request's bytes are changed in place later.
    this.requestBytes = Uint8Array.prototype.slice.call(request, 0, bytesMax)
    this.isRequestCut = request.length > bytesMax
    this.bytesMax = bytesMax
  }

  begin(contentType: string): void {
    this.isStream = contentType.startsWith('text/event-stream')
    const isText = this.isStream || /json|^text\//.test(contentType)
    this.#most = isText ? this.bytesMax * (this.isStream ? streamFactor : 1) : 0
    if (!isText) this.isAnswerCut = true
  }

  add(piece: string | Uint8Array): void {
    const room = this.#most - this.size
    if (room <= 0) {
      this.isAnswerCut ||= piece.length > 0
      return
    }
    // Copied, because the buffer it is part of may be reused.
    const bytes = Buffer.from(piece as string)
    this.isAnswerCut ||= bytes.length > room
    this.pieces.push(bytes.length > room ? bytes.subarray(0, room) : bytes)
    this.size += Math.min(bytes.length, room)
  }
}

/** Stores masked prompts and responses beside the calls. Disposing writes the rest. */
export class MaskingContentLog implements ContentLog, AsyncDisposable {
  readonly #options: ContentLogOptions
  readonly #thread = openContentThread()
  readonly #waiting: GatheredCall[] = []
  #bytes = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  readonly #forgetting: NodeJS.Timeout

  constructor(options: ContentLogOptions) {
    this.#options = options
    this.#forgetting = setInterval(() => void this.forgetOld(), forgetEveryMs).unref()
  }

  open(request: Uint8Array): ContentCapture {
    return new Capture(request, this.#options.settings().bytesMax)
  }

  ended({ call, givenId }: CallEnd): void {
    const content = call?.content
    if (!call || !(content instanceof Capture)) return
    const size = content.requestBytes.length + content.size
    if (this.#bytes + size > waitingBytesMax) {
      this.#options.lost(1, 'too many wait to be masked')
      this.#options.spans?.masked(call.id, undefined)
      return
    }
    this.#bytes += size
    const isTraced = this.#options.spans?.isWaiting(call.id) === true
    this.#waiting.push({ ...gathered(call, content, givenId), isTraced })
    this.#timer ??= setTimeout(() => void this.#writeInTurn(), everyMs).unref()
  }

  async flush(): Promise<void> {
    while (this.#waiting.length > 0 || this.#writing) await this.#writeNext()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#forgetting)
    await this.flush()
    clearTimeout(this.#timer)
    await this.#thread[Symbol.asyncDispose]()
  }

  /** Removes content beyond its retention time, every hour. Never rejects. */
  async forgetOld(): Promise<void> {
    const { shelf, now, settings, lost } = this.#options
    const before = now() - settings().keepDays * dayMs
    try {
      while (await shelf.forget(before));
    } catch (error) {
      lost(0, error)
    }
  }

  async #writeInTurn(): Promise<void> {
    await this.flush()
    this.#timer = undefined
    if (this.#waiting.length > 0)
      this.#timer = setTimeout(() => void this.#writeInTurn(), everyMs).unref()
  }

  #writeNext(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async #write(): Promise<void> {
    const calls = this.#waiting.splice(0, callsPerBatch)
    if (calls.length === 0) return
    let spans: readonly SpanContent[] = []
    try {
      const masked = await this.#thread.mask(calls)
      spans = masked.spans
      await this.#options.shelf.add(masked.documents)
    } catch (error) {
      this.#options.lost(calls.length, error)
    } finally {
      const byId = new Map(spans.map((span) => [span.callId, span]))
      for (const { request, answer, facts, isTraced } of calls) {
        this.#bytes -= request.bytes.length + answer.bytes.length
        if (isTraced) this.#options.spans?.masked(facts.callId, byId.get(facts.callId))
      }
    }
  }
}

function gathered(
  call: NonNullable<CallEnd['call']>,
  content: Capture,
  givenId: string | undefined,
): Omit<GatheredCall, 'isTraced'> {
  const { requestBytes, isRequestCut, pieces, isAnswerCut, isStream, bytesMax } = content
  return {
    facts: {
      callId: call.id,
      ...(givenId !== undefined && { requestId: givenId }),
      keyId: call.key.id,
      ...call.key.owners,
      createdAt: call.trail.startedAt,
      operation: call.operation,
      format: call.format.id,
    },
    request: { bytes: requestBytes, isCut: isRequestCut, isStream: false },
    answer: { bytes: Buffer.concat(pieces), isCut: isAnswerCut, isStream },
    charactersMax: bytesMax,
  }
}
