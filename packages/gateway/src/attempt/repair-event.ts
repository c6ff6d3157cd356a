import { type EventBlock, formatEvent } from '@sluice/contract'

/** Parsing this much takes a few milliseconds at most. */
const repairedCharactersMax = 1024 * 1024

/**
 * Repairs an event whose JSON lacks only its last brace, which some gateways in front of upstreams produce. The
 * content is complete, so nothing is guessed. Undefined for any other event.
 */
export function repairEvent({ kind, event, data, raw }: EventBlock): EventBlock | undefined {
  if (kind !== 'event' || data.length > repairedCharactersMax) return undefined
  if (!/^\{[^]*\}\s*$/.test(data) || !isText(raw)) return undefined
  const repaired = `${data.trimEnd()}}`
  try {
    JSON.parse(repaired)
  } catch {
    return undefined
  }
  return { kind, event, data: repaired, raw: Buffer.from(formatEvent({ event, data: repaired })) }
}

/** Whether the event came as SSE lines and not in a binary frame. */
function isText(raw: Uint8Array): boolean {
  return /^(event|data|id|retry):/.test(Buffer.from(raw.subarray(0, 6)).toString('latin1'))
}
