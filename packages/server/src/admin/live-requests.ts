import { GatewayError } from '@sluice/contract'
import type { BegunCall, LiveListener, RefusedCall } from '@sluice/gateway/observe/live-calls.ts'
import type { RequestScope, UsageStore } from '@sluice/gateway/ports/usage-store.ts'
import type { Exchange } from '../address.ts'
import { sessionOf } from '../authenticate.ts'
import { StreamOutput } from '../stream-output.ts'
import { shownBegun, shownRefused, shownRequest } from './shown-request.ts'

/** Interval for polling the ledger for ended calls, in milliseconds. */
const pollMs = 1_000
/** After this long without events a comment is sent, before a proxy closes the connection, in milliseconds. */
const quietMs = 15_000
/** Maximum number of queued events, and of calls per poll. */
const eventsMax = 500
/** With several writers, a record may become visible after a later one. */
const overlap = 200

/** Sends server-sent events until the caller disconnects or signs out, or the gateway stops. */
export async function sendLive(
  scope: RequestScope,
  { gateway, request, reply, cancellation, options }: Exchange,
): Promise<void> {
  const { live, store, sessions } = gateway
  const session = sessionOf(request, options)
  if (live.isFull)
    throw new GatewayError('overloaded', 'Too many live views are open already', {
      retryAfterMs: 5_000,
    })
  const newest = await store.usage.newest()
  const output = new StreamOutput(reply)
  output.begin({ headers: {}, contentType: 'text/event-stream; charset=utf-8' })
  if (output.raw.req.method === 'HEAD') return output.end()
  const mayLook = async () => session === undefined || (await sessions.find(session)) !== undefined
  const watched = new LiveStream(output, { scope, usage: store.usage, newest, mayLook })
  using _watching = live.watch(watched)
  cancellation.add({ cancelled: () => watched.ended() })
  output.raw.once('close', () => watched.ended())
  await watched.run()
  output.end()
}

interface Watching {
  readonly scope: RequestScope
  readonly usage: Pick<UsageStore, 'requests'>
  /** The sequence number of the newest record at the start. */
  readonly newest: number
  /** Whether the caller is still signed in; checked before each poll. */
  readonly mayLook: () => Promise<boolean>
}

class LiveStream implements LiveListener {
  readonly #output: StreamOutput
  readonly #watching: Watching
  /** All records up to this sequence number have been sent. */
  #seen: number
  #told = new Set<number>()
  #waiting: string[] = []
  #skipped = 0
  #isFlushing = false
  #quietSince = performance.now()
  #isOver = false
  #wake: () => void = () => {}

  constructor(output: StreamOutput, watching: Watching) {
    this.#output = output
    this.#watching = watching
    this.#seen = watching.newest
  }

  began(begun: BegunCall): void {
    if (isMeant(this.#watching.scope, begun)) this.#tell('begin', shownBegun(begun))
  }

  refused(refused: RefusedCall): void {
    if (isRefusedMeant(this.#watching.scope, refused)) this.#tell('refused', shownRefused(refused))
  }

  ended(): void {
    this.#isOver = true
    this.#wake()
  }

  async run(): Promise<void> {
    this.#output.write('retry: 2000\n: watching\n\n')
    while (!this.#isOver) {
      await this.#rest()
      if (this.#isOver || !(await this.#watching.mayLook().catch(() => true))) return
      // A failed read is repeated at the next poll.
      await this.#poll().catch(() => {})
      if (performance.now() - this.#quietSince > quietMs) this.#write(': nothing new\n\n')
    }
  }

  async #rest(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, pollMs)
    this.#wake = resolve
    await promise
    clearTimeout(timer)
  }

  async #poll(): Promise<void> {
    const { scope, usage } = this.#watching
    const sinceSequence = Math.max(this.#watching.newest, this.#seen - overlap)
    const found = await usage.requests({ ...scope, sinceSequence, limit: eventsMax })
    for (const request of found.toReversed()) {
      if (this.#told.has(request.sequence)) continue
      this.#told.add(request.sequence)
      this.#seen = Math.max(this.#seen, request.sequence)
      const shown = shownRequest(request)
      if (shown) this.#tell('request', shown)
    }
    if (found.length === eventsMax) this.#skipped += 1
    this.#told = new Set([...this.#told].filter((sequence) => sequence > this.#seen - overlap))
  }

  #tell(event: string, data: object): void {
    if (this.#waiting.length >= eventsMax) {
      this.#skipped += 1
      return
    }
    this.#waiting.push(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    if (this.#isFlushing) return
    this.#isFlushing = true
    setImmediate(() => this.#flush())
  }

  /** Waits for the socket to drain before writing more. */
  #flush(): void {
    const { raw } = this.#output
    if (this.#isOver || raw.destroyed) return
    if (raw.writableNeedDrain) {
      raw.once('drain', () => this.#flush())
      return
    }
    this.#isFlushing = false
    const events = this.#waiting.splice(0)
    if (this.#skipped > 0) {
      events.push(`event: skipped\ndata: {}\n\n`)
      this.#skipped = 0
    }
    if (events.length > 0) this.#write(events.join(''))
  }

  #write(text: string): void {
    this.#quietSince = performance.now()
    if (!this.#output.raw.destroyed && !this.#isOver) this.#output.write(text)
  }
}

/** Applies the filters that can be decided when a call begins. */
function isMeant(scope: RequestScope, begun: BegunCall): boolean {
  const { only, status } = scope
  return (
    only.outcome === undefined &&
    status === undefined &&
    only.provider === undefined &&
    isOf(only.model, begun.upstreamModel) &&
    (only.tag === undefined || begun.tags.includes(only.tag)) &&
    isCallMeant(scope, begun)
  )
}

/** A refused call has no target and no tags, and its own outcome. */
function isRefusedMeant(scope: RequestScope, refused: RefusedCall): boolean {
  const { outcome = 'refused', provider, model, tag } = scope.only
  const [first, last] = scope.status ?? [0, Number.POSITIVE_INFINITY]
  return (
    outcome === 'refused' &&
    [provider, model, tag].every((asked) => asked === undefined) &&
    refused.status >= first &&
    refused.status <= last &&
    isCallMeant(scope, refused)
  )
}

function isCallMeant(
  { only, id, format, requestedModel }: RequestScope,
  call: BegunCall | RefusedCall,
): boolean {
  const { userId, teamId, organizationId } = call.owners
  return (
    isOf(only.key, call.keyId) &&
    isOf(only.user, userId) &&
    isOf(only.team, teamId) &&
    isOf(only.organization, organizationId) &&
    isOf(only.operation, call.operation) &&
    isOf(format, call.format) &&
    isOf(requestedModel, call.model) &&
    (id === undefined || id === call.id || id === call.givenId)
  )
}

function isOf(asked: string | undefined, value: string | undefined): boolean {
  return asked === undefined || asked === (value ?? '')
}
