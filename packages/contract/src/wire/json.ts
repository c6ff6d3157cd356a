/** The parts of the JSON object that keep source text (TC39 JSON.parse source text access; Node 21 and later). */
interface JsonWithSource {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown
  rawJSON(text: string): object
  isRawJSON(value: unknown): value is { readonly rawJSON: string }
}

// TypeScript's library does not declare these yet; the engine this project pins has them.
const json = JSON as unknown as JsonWithSource

const longDigits = /[0-9]{16}/
const integer = /^-?[0-9]+$/

/**
 * JSON.parse, but an integer that a double cannot hold becomes a raw JSON value, which `formatJson` and
 * JSON.stringify write back digit for digit. Identifiers in tool arguments would otherwise change in silence.
 * Throws SyntaxError like JSON.parse.
 */
export function parseJson(text: string): unknown {
  // A reviver makes parsing several times slower, and almost no text needs it.
  if (!longDigits.test(text)) return JSON.parse(text)
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' &&
    !Number.isSafeInteger(value) &&
    source !== undefined &&
    integer.test(source)
      ? json.rawJSON(source)
      : value,
  )
}

/** The value as JSON text; numbers that `parseJson` kept as text come out as they went in. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value) ?? 'null'
}

/** True for a number that `parseJson` kept as text. */
export function isRawNumber(value: unknown): value is { readonly rawJSON: string } {
  return json.isRawJSON(value)
}
