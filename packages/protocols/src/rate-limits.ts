/**
 * Whether a request is larger than the whole limit of a rate, so that it is refused again and others are not: "Request too large …
 * Limit 30000, Requested 42000" (OpenAI, Groq).
 */
export function isLargerThanLimit(message: string): boolean {
  const { limit, requested } = asked.exec(message)?.groups ?? {}
  if (limit !== undefined && requested !== undefined && numberIn(requested) > numberIn(limit))
    return true
  return /\brequest (?:is )?too large\b/i.test(message)
}

const asked = /\blimit:? (?<limit>[\d,]+),.{0,80}\brequested:? (?<requested>[\d,]+)/i

const numberIn = (text: string) => Number(text.replaceAll(',', ''))

/** Such as `x-ratelimit-remaining-tokens` (OpenAI, Groq, Azure) and `anthropic-ratelimit-input-tokens-remaining`. */
const remaining = /^(?:x-ratelimit-remaining\b|anthropic-ratelimit-.*-remaining$)/

/** Whether the headers show that there is room for other requests: some say what remains, and none says 0. */
export function hasRoom(headers: Readonly<Record<string, string>>): boolean {
  const left = Object.entries(headers).filter(([name]) => remaining.test(name))
  return left.length > 0 && left.every(([, value]) => Number(value) > 0)
}

/** The headers that tell how much remains of a rate, and those that tell when it is whole again. */
const meters: readonly (readonly [remaining: string, reset: string])[] = [
  // OpenAI, Azure, Groq and others: the time until then, such as `6m0s`.
  ['x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
  ['x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens'],
  // Anthropic: the date.
  ['anthropic-ratelimit-requests-remaining', 'anthropic-ratelimit-requests-reset'],
  ['anthropic-ratelimit-tokens-remaining', 'anthropic-ratelimit-tokens-reset'],
  ['anthropic-ratelimit-input-tokens-remaining', 'anthropic-ratelimit-input-tokens-reset'],
  ['anthropic-ratelimit-output-tokens-remaining', 'anthropic-ratelimit-output-tokens-reset'],
]

/**
 * Milliseconds until a key may be used again whose successful response says that nothing of a rate remains; undefined if something
 * does, or the response does not say until when.
 */
export function usedUpMs(
  headers: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  let longest: number | undefined
  for (const [remainingName, resetName] of meters) {
    if (headers[remainingName] !== '0') continue
    const ms = resetMs(headers[resetName] ?? '', now)
    if (ms !== undefined && ms > (longest ?? 0)) longest = ms
  }
  return longest
}

const duration =
  /^(?:(?<hours>\d+)h)?(?:(?<minutes>\d+)m(?!s))?(?:(?<seconds>\d+(?:\.\d+)?)s?)?(?:(?<milliseconds>\d+)ms)?$/

function resetMs(text: string, now: number): number | undefined {
  const parts = text === '' ? undefined : duration.exec(text)?.groups
  if (!parts) {
    const date = Date.parse(text)
    return Number.isNaN(date) ? undefined : date - now
  }
  const { hours = 0, minutes = 0, seconds = 0, milliseconds = 0 } = parts
  return (
    (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000 + Number(milliseconds)
  )
}
