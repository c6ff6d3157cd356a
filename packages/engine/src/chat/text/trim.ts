/**
 * A text without the characters of a set at its end. A regular expression such as `/[?.!]+$/` takes the square of the
 * length of a run that is not at the end.
 */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
