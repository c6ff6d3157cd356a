/**
 * Removes characters of a set from the end of a text. A regular expression such as `/[?.!]+$/` would take quadratic time for a
 * long sequence of them that is not at the end.
 */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
