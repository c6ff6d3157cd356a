/**
 * A value found for a property. `sure` says how well the text supports it: 2 means that it states the value, 1 is a reasonable
 * guess, 0 is invented because a value was required. An optional property is filled only with at least a reasonable guess.
 */
export interface Found {
  readonly value: unknown
  readonly sure: 0 | 1 | 2
}

export function said(value: unknown): Found {
  return { value, sure: 2 }
}

export function guessed(value: unknown): Found {
  return { value, sure: 1 }
}

export function invented(value: unknown): Found {
  return { value, sure: 0 }
}

/** No value is allowed here, or none that is finite. */
export const impossible: Found = { value: undefined, sure: 0 }
