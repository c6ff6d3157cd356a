import { type EventBlock, formatEvent } from '@sluice/contract'

/** To parse so much once more takes a few milliseconds at most. */
const mendedCharactersMax = 1024 * 1024

/**
 * An event whose JSON lacks nothing but its last brace, as gateways before an upstream write some that they made
 * themselves, with the brace. What is in it is whole, so that nothing is guessed; undefined for any other.
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

/** Whether the event came as lines, and not in a frame. */
function isText(raw: Uint8Array): boolean {
  return /^(event|data|id|retry):/.test(Buffer.from(raw.subarray(0, 6)).toString('latin1'))
}
