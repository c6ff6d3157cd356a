import { randomFillSync } from 'node:crypto'

/** The trace parent that a caller sent (W3C Trace Context). */
export interface TraceParent {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
  /** As received; empty if absent. */
  readonly state: string
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Later versions may append more fields to those of version 00. */
const parentPattern =
  /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/
/** The specification requires at least 512 characters to be passed on. */
const stateMax = 512

/**
 * The parent in `traceparent`; undefined if it is absent or malformed, in which case `tracestate` is ignored as well (W3C Trace
 * Context, 3.2 and 3.3).
 */
export function traceParentOf({ traceparent, tracestate }: Headers): TraceParent | undefined {
  if (typeof traceparent !== 'string') return undefined
  const [, version, traceId, spanId, flags, more] = parentPattern.exec(traceparent.trim()) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  if (version === '00' && more !== undefined) return undefined
  const state = Array.isArray(tracestate) ? tracestate.join(',') : (tracestate ?? '')
  return {
    traceId,
    spanId,
    isSampled: (Number.parseInt(flags, 16) & 1) === 1,
    state: state.length <= stateMax && /^[\x20-\x7e]*$/.test(state) ? state : '',
  }
}

export function formatTraceParent(traceId: string, spanId: string, isSampled: boolean): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

/** Random bytes are generated for many ids at once. */
const pool = Buffer.alloc(8_192)
let place = pool.length

/** 32 hexadecimal digits. */
export function createTraceId(): string {
  return randomHex(16)
}

/** 16 hexadecimal digits. */
export function createSpanId(): string {
  return randomHex(8)
}

function randomHex(bytes: number): string {
  if (place + bytes > pool.length) {
    randomFillSync(pool)
    place = 0
  }
  const id = pool.toString('hex', place, place + bytes)
  place += bytes
  // All zeros mean an absent id.
  return /[^0]/.test(id) ? id : randomHex(bytes)
}

/**
 * Whether a trace is in the share that is sent; everyone who looks at its id decides the same (OpenTelemetry,
 * TraceIdRatioBased).
 */
export function isWithin(ratio: number, traceId: string): boolean {
  if (ratio >= 1) return true
  return Number.parseInt(traceId.slice(-8), 16) < ratio * 0x1_0000_0000
}
