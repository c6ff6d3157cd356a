interface Retrying {
  /** How often the target was tried, at least once. */
  readonly tries: number
  readonly baseMs: number
  readonly maxMs: number
  /** At least 0 and below 1. */
  readonly random: number
}

/**
 * The wait before a retry, in milliseconds; undefined if the upstream asks for more than the route allows. `asked` is the wait
 * that the upstream asks for, in milliseconds. Full jitter, as in "Exponential Backoff and Jitter" (AWS Architecture Blog).
 */
export function retryWait(
  asked: number | undefined,
  { tries, baseMs, maxMs, random }: Retrying,
): number | undefined {
  if (asked !== undefined && asked > maxMs) return undefined
  const jitter = random * Math.min(maxMs, baseMs * 2 ** (tries - 1))
  return asked === undefined ? jitter : Math.max(asked, jitter)
}
