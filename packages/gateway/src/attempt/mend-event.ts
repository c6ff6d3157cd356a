import { type EventBlock, formatEvent } from '@sluice/contract'

/** Parsing this much takes a few milliseconds at most. */
const mendedCharactersMax = 1024 * 1024

/**
 * Repairs an event whose JSON lacks only its last brace, which some gateways in front of upstreams produce. The
 * content is complete, so nothing is guessed. Undefined for any other event.
 */
export function mendEvent({ kind, event, data, raw }: EventBlock): EventBlock | undefined {
  if (kind !== 'event' || data.length > mendedCharactersMax) return undefined
  if (!/^\{[^]*\}\s*$/.test(data) || !isText(raw)) return undefined
  const mended = `${data.trimEnd()}}`
  try {
    JSON.parse(mended)
  } catch {
    return undefined
  }
  return { kind, event, data: mended, raw: Buffer.from(formatEvent({ event, data: mended })) }
}

/** Whether the event came as SSE lines and not in a binary frame. */
function isText(raw: Uint8Array): boolean {
  return /^(event|data|id|retry):/.test(Buffer.from(raw.subarray(0, 6)).toString('latin1'))
}
