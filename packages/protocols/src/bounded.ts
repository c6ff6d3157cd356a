import { GatewayError, listOf } from '@sluice/contract'

/** More choices, calls or citations are in no answer: each costs far more to write anew than to send. */
const countMax = 32_768

/** Throws `upstream_garbled` where an answer holds more of something than any does. */
export function assertBounded(count: number, what: string): void {
  if (count > countMax)
    throw new GatewayError(
      'upstream_garbled',
      `The upstream’s answer holds more than ${countMax} ${what}`,
    )
}

/** A list of an answer, or none. Throws as above. */
export function boundedList(value: unknown, what: string): readonly unknown[] {
  const list = listOf(value)
  assertBounded(list.length, what)
  return list
}
