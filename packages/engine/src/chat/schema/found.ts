/**
 * A value found for a property. `sure` is how well the text speaks for it: 2 says it outright, 1 is a fair guess,
 * 0 is invented because something had to stand there. Only what is at least a fair guess fills an optional property.
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

/** No value is allowed here, or none that has an end. */
export const impossible: Found = { value: undefined, sure: 0 }
