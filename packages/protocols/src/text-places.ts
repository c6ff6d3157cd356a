import type { AnswerMessage } from '@sluice/contract'

type TextPlace = NonNullable<AnswerMessage['text_places']>[number]

/** A text of an answer, and where it stands. */
export interface PlacedText {
  readonly text: string
  /** Characters of the answer's text before it. */
  readonly start: number
  /** Calls before it. */
  readonly calls: number
}

/** Notes where the texts of an answer stand among its calls, while they are read in their order. */
export class TextPlaces {
  readonly #places: TextPlace[] = []

  /** To be told of each text that is not empty: the characters and the calls before it. */
  note(start: number, calls: number): void {
    if (calls > (this.#places.at(-1)?.calls ?? 0)) this.#places.push({ start, calls })
  }

  /** Nothing where all of the text stands before the calls. */
  told(): Pick<AnswerMessage, 'text_places'> {
    return this.#places.length === 0 ? {} : { text_places: [...this.#places] }
  }
}

/** The texts of an answer in their order, none of which is empty. */
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

/** Calls with the texts that stand behind them, as `interleaved` takes them: a thought between the two stays there. */
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
