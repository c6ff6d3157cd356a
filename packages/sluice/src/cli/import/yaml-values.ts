// What values of settings files of other programs are; undefined for what is something else.

export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim()
  return typeof value === 'number' ? String(value) : undefined
}

/** A number, also as text. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** A whole number of at least 1. */
export function countOf(value: unknown): number | undefined {
  const number = numberOf(value)
  return number !== undefined && Number.isSafeInteger(number) && number >= 1 ? number : undefined
}

/** Seconds as milliseconds, within what a timeout may be. */
export function millisecondsOf(value: unknown): number | undefined {
  const seconds = numberOf(value)
  if (seconds === undefined || seconds <= 0) return undefined
  return Math.min(86_400_000, Math.max(1, Math.round(seconds * 1_000)))
}

/** A text as sluice.yaml has it: the reference to a variable, or the text with what looks like one escaped. */
export function written(text: string): string {
  const [, name] = /^os\.environ\/(\w+)$/.exec(text) ?? []
  return name === undefined ? text.replaceAll('${', () => '$${') : `\${${name}}`
}

/** Whether a written text refers to a variable. */
export function isReference(text: string): boolean {
  return /^\$\{\w+\}$/.test(text)
}

/** US dollars per token as per million, without the digits that binary fractions add. */
export function perMillion(perToken: number): number {
  return Number((perToken * 1_000_000).toPrecision(12))
}
