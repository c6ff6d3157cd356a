import type { AnswerMessage, Fields } from '@sluice/contract'
import { readCitation, shiftedAnnotation } from './citations.ts'
import { countWhere } from './said-text.ts'
import { type PlacedText, placedTexts } from './text-places.ts'

/** A text of a response with the annotations inside it, positioned relative to that text. */
export interface CitedText extends PlacedText {
  readonly annotations: readonly Fields[]
}

/** The texts of a response in order; none of them is empty. An annotation without a range belongs to the first. */
export function citedTexts(
  message: Pick<AnswerMessage, 'annotations' | 'content' | 'text_places'>,
): readonly CitedText[] {
  const texts = placedTexts(message).map((text) => ({ ...text, annotations: [] as Fields[] }))
  for (const annotation of message.annotations ?? []) {
    const at = readCitation(annotation)?.range?.start ?? 0
    const text = texts[countWhere(texts, ({ start }) => start <= at) - 1]
    text?.annotations.push(
      text.start === 0 ? annotation : shiftedAnnotation(annotation, -text.start),
    )
  }
  return texts
}
