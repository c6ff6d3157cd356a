// Control characters and direction marks, which could manipulate a terminal. Names and models are untrusted text.
const steering = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu

/** Makes a text safe for one line of a terminal: special characters are shown as escapes such as `\u{1b}`. */
export function printable(text: string): string {
  return text.replace(steering, escaped)
}

/** The same for several lines; line breaks and tabs are kept. */
export function printableLines(text: string): string {
  return text.replace(steering, (mark) => (mark === '\n' || mark === '\t' ? mark : escaped(mark)))
}

function escaped(mark: string): string {
  return `\\u{${mark.codePointAt(0)?.toString(16)}}`
}
