import { randomFillSync } from 'node:crypto'

/** Where a request comes from, as its caller says it (W3C Trace Context). */
export interface TraceParent {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
  /** As it came; empty where there is none. */
  readonly state: string
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Later versions may say more behind what version 00 says. */
const parentPattern =
  /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/
/** The specification asks for 512 characters to be handed on. */
const stateMax = 512

/**
 * The parent that `traceparent` names; undefined where there is none, or one that is not well formed, in which case its
 * `tracestate` means nothing either (W3C Trace Context, 3.2 and 3.3).
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

/** Random bytes are drawn for many ids at once. */
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
  // All zeros mean that there is none.
  return /[^0]/.test(id) ? id : randomHex(bytes)
}

/** Whether a trace belongs to the share that is sent: the same for all who look at its id (OpenTelemetry, TraceIdRatioBased). */
export function isWithin(ratio: number, traceId: string): boolean {
  if (ratio >= 1) return true
  return Number.parseInt(traceId.slice(-8), 16) < ratio * 0x1_0000_0000
}
