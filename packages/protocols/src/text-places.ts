import type { AnswerMessage } from '@sluice/contract'

type TextPlace = NonNullable<AnswerMessage['text_places']>[number]

/** A text of a response and its place. */
export interface PlacedText {
  readonly text: string
  /** Characters of the response's text before it. */
  readonly start: number
  /** Calls before it. */
  readonly calls: number
}

/** Records the places of a response's texts among its calls while they are read in order. */
export class TextPlaces {
  readonly #places: TextPlace[] = []

  /** Must be called for each text that is not empty, with the number of characters and calls before it. */
  note(start: number, calls: number): void {
    if (calls > (this.#places.at(-1)?.calls ?? 0)) this.#places.push({ start, calls })
  }

  /** Empty if all of the text comes before the calls. */
  told(): Pick<AnswerMessage, 'text_places'> {
    return this.#places.length === 0 ? {} : { text_places: [...this.#places] }
  }
}

/** The texts of a response in order; none of them is empty. */
export function placedTexts({
  content,
  text_places: places = [],
}: Pick<AnswerMessage, 'content' | 'text_places'>): readonly PlacedText[] {
  const text = content ?? ''
  return [{ start: 0, calls: 0 }, ...places].flatMap(({ start, calls }, index) => {
    const piece = text.slice(start, places[index]?.start)
    return piece === '' ? [] : [{ text: piece, start, calls }]
  })
}

/** Calls with the texts that follow them, in the form for `interleaved`: a thought between a call and a text stays there. */
export function callsAndTexts<T, Text extends PlacedText>(
  calls: readonly (readonly T[])[],
  texts: readonly Text[],
  pieces: (text: Text) => readonly T[],
): readonly (readonly T[])[] {
  const later = texts.filter((text) => text.calls > 0)
  // A call may have been left out on the way.
  const byCalls = Map.groupBy(later, (text) => Math.min(text.calls, calls.length))
  const behind = (count: number) => (byCalls.get(count) ?? []).flatMap(pieces)
  const last = behind(calls.length)
  return [
    ...calls.map((call, index) => [...behind(index), ...call]),
    ...(last.length === 0 ? [] : [last]),
  ]
}
