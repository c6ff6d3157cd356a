import type { Fields } from '@sluice/contract'

/** The pieces of text in one streamed event, each with its place, or the whole response, if the event repeats all of it. */
export type EventTexts =
  | readonly (readonly [place: string, text: string])[]
  | { readonly whole: unknown }

/** Returns a function that finds the texts in fields with these names, wherever they are in an event. */
export function textsNamed(...names: readonly string[]): (event: Fields) => EventTexts {
  const known: ReadonlySet<string> = new Set(names)
  return (event) => {
    const texts: [string, string][] = []
    gather(event, '', (place, name, text) => {
      if (known.has(name)) texts.push([place, text])
    })
    return texts
  }
}

/** Equal places of different events have pieces of the same text: they consist of names and of the indexes that events give. */
function gather(
  value: unknown,
  path: string,
  found: (place: string, name: string, text: string) => void,
): void {
  if (typeof value !== 'object' || value === null) return
  const fields = value as Fields
  const place = ['output_index', 'content_index', 'index']
    .map((name) => fields[name])
    .filter((number) => typeof number === 'number')
  const here = place.length === 0 ? path : `${path}[${place.join('.')}]`
  for (const [name, field] of Object.entries(fields)) {
    const inner = Array.isArray(value) ? here : here === '' ? name : `${here}.${name}`
    if (typeof field === 'string') found(inner, name, field)
    else gather(field, inner, found)
  }
}
