// What could steer a terminal: control characters, and marks that turn the direction of text. Names and models are other
// people's words.
const steering = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu

/** A text on one line of a terminal: whatever would steer it is shown as an escape, such as `\u{1b}`. */
export function printable(text: string): string {
  return text.replace(steering, escaped)
}

/** The same for a text of several lines, whose ends and tabs stay. */
export function printableLines(text: string): string {
  return text.replace(steering, (mark) => (mark === '\n' || mark === '\t' ? mark : escaped(mark)))
}

function escaped(mark: string): string {
  return `\\u{${mark.codePointAt(0)?.toString(16)}}`
}
