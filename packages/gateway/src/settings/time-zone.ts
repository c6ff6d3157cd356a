const dayMs = 24 * 3_600_000

/** By the name of the zone; creating one takes a hundred times as long as using it. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** Whether a name is known, such as `Europe/Berlin` (https://www.iana.org/time-zones) or `+05:30`. */
export function isTimeZone(zone: string): boolean {
  try {
    formatOf(zone)
    return true
  } catch {
    return false
  }
}

/** What clocks in a zone show at a moment, as milliseconds since the epoch of a clock in UTC that shows the same. */
export function localTime(zone: string, at: number): number {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return (
    Date.UTC(year, month - 1, day, hour, minute, second) + (at - Math.floor(at / 1_000) * 1_000)
  )
}

/**
 * The moment at which clocks in a zone first show a midnight, or a later time where it is skipped. `local` is the midnight as
 * `localTime` tells it.
 */
export function momentOf(zone: string, local: number): number {
  // Clocks are changed at most once in the two days around it.
  const moments = [local - dayMs, local + dayMs]
    .map((near) => local - (localTime(zone, near) - near))
    .toSorted((one, other) => one - other)
  return moments.find((moment) => localTime(zone, moment) >= local) ?? Math.max(...moments)
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(zone, format)
  return format
}
