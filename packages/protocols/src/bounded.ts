import { GatewayError, listOf } from '@sluice/contract'

/** Limit on choices, calls or citations in a response: rewriting each costs far more than sending it. */
const countMax = 32_768

/** Throws `upstream_garbled` if a response contains too many items. */
export function assertBounded(count: number, what: string): void {
  if (count > countMax)
    throw new GatewayError(
      'upstream_garbled',
      `The upstream’s response holds more than ${countMax} ${what}`,
    )
}

/** A list in a response, or an empty one. Throws as `assertBounded`. */
export function boundedList(value: unknown, what: string): readonly unknown[] {
  const list = listOf(value)
  assertBounded(list.length, what)
  return list
}
