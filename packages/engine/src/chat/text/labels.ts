import { sentimentOf } from './sentiment.ts'
import { contentStems, rootOf, wordsOf } from './words.ts'

const feelings: readonly (readonly [RegExp, (score: number) => number])[] = [
  [
    /^(?:very )?(?:positive|pos|happy|good|joy|favou?rable|satisfied)$/,
    (score) => Math.max(0, score),
  ],
  [
    /^(?:very )?(?:negative|neg|sad|bad|angry|anger|unfavou?rable|unhappy|dissatisfied)$/,
    (score) => Math.max(0, -score),
  ],
  [/^neutral$/, (score) => (score === 0 ? 1 : 0.1)],
  [/^mixed$/, (score) => (score === 0 ? 0.5 : 0)],
]

/** The label that a text mentions, or that its sentiment suits; undefined where nothing speaks for any of them. */
export function bestLabel(text: string, labels: readonly string[]): string | undefined {
  const said = new Set(wordsOf(text).map((word) => rootOf(word.lower)))
  const { score } = sentimentOf(text)
  const scores = labels.map((label) => {
    const feeling = feelings.find(([name]) => name.test(label.toLowerCase()))
    return feeling === undefined
      ? contentStems(label).filter((root) => said.has(root)).length
      : feeling[1](score)
  })
  const best = Math.max(...scores)
  return best > 0 ? labels[scores.indexOf(best)] : undefined
}
