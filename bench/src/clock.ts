/** Microseconds of the machine's monotonic clock, which all processes share: an event sent can be dated on arrival. */
export function machineUs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1e6 + Math.floor(nanoseconds / 1000)
}

const digits = 15
const mark = '"@'

/** The moment as text of a fixed width, so that everything around it can be made ahead. */
export function stamp(us: number): string {
  return `@${String(us).padStart(digits, '0')} `
}

export const stampLength = digits + 2

/** The stamp in the bytes of an event; undefined when it carries none. */
export function stampOf(event: Buffer): number | undefined {
  const at = event.indexOf(mark)
  if (at < 0) return undefined
  let us = 0
  for (let place = at + mark.length; place < at + mark.length + digits; place += 1) {
    const digit = (event[place] ?? 0) - 48
    if (digit < 0 || digit > 9) return undefined
    us = us * 10 + digit
  }
  return us
}
