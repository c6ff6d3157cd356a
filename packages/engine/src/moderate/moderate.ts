import {
  invalidRequest,
  moderationCategories,
  type ReplyOf,
  type RequestOf,
} from '@sluice/contract'
import { createPause } from '../chat/pause.ts'
import type { Operation, OperationContext } from '../engine.ts'
import { countWithin } from '../tokens.ts'
import { perCategory, type Scores, scoreText } from './score.ts'

type ModerationResult = ReplyOf<'moderate'>['results'][number]
type Input = RequestOf<'moderate'>['input']
type Part = Exclude<Exclude<Input, string>[number], string>

/** A category is flagged from this score on. */
const threshold = 0.5
/** Limits of one input and of one request, in tokens. */
const inputTokensMax = 32_768
const requestTokensMax = 300_000
const imagesMax = 16
const imageBytesMax = 20_000_000
/** Time limit for reading one image, in milliseconds. */
const imageMs = 10_000
/** Long texts are read piece by piece, so that other requests get their turn. Pieces overlap. */
const pieceCharacters = 4000
const overlapCharacters = 300

/**
 * Word lists and rules for English texts. Usual disguises are undone and harmless phrases are removed. Images score nothing,
 * since their content is not recognized. One result per string, and one for a list of parts. Throws invalid_request for more
 * than 32,768 tokens in one input or 300,000 in all.
 */
export const moderate: Operation<'moderate'> = async ({ input }, context) => {
  const inputTokens = countInput(input)
  const pause = createPause(context.signal)
  const items = typeof input === 'string' ? [input] : input
  const results: ModerationResult[] = []
  for (const text of items.filter((item) => typeof item === 'string'))
    results.push(resultOf(await scoreLongText(text, pause), ['text']))
  const parts = items.filter((item) => typeof item !== 'string')
  if (parts.length > 0) results.push(await moderateParts(parts, pause, context))
  return {
    kind: 'reply',
    reply: { id: context.newId('modr-'), model: context.model, results },
    usage: { inputTokens, outputTokens: 0 },
  }
}

function countInput(input: Input): number {
  if (typeof input === 'string') return countWithin(input, inputTokensMax, 'input')
  let all = 0
  for (const [index, item] of input.entries()) {
    const [text = '', path] = typeof item === 'string' ? [item, ''] : [item.text, '.text']
    all += countWithin(text, inputTokensMax, `input[${index}]${path}`)
    if (all > requestTokensMax)
      throw invalidRequest(`The inputs have more than ${requestTokensMax} tokens together`, 'input')
  }
  return all
}

async function moderateParts(
  parts: readonly Part[],
  pause: () => Promise<void>,
  context: OperationContext,
): Promise<ModerationResult> {
  const images = parts.filter((part) => part.type === 'image_url')
  if (images.length > imagesMax)
    throw invalidRequest(`At most ${imagesMax} images can be moderated at once`, 'input')
  let scores = perCategory(() => 0)
  for (const [index, part] of parts.entries()) {
    if (part.type === 'text') scores = highest(scores, await scoreLongText(part.text ?? '', pause))
    else await checkImage(part, `input[${index}].image_url.url`, context)
  }
  return resultOf(scores, images.length < parts.length ? ['text'] : [])
}

/** The content of an image is not recognized; it is only checked that it is an image. */
async function checkImage(part: Part, param: string, context: OperationContext): Promise<void> {
  const url = part.image_url?.url ?? ''
  const { bytes } = await context.fetchMedia(url, { bytesMax: imageBytesMax, param })
  const options = { timeoutMs: imageMs, param }
  await context.workers.run('describeImage', { bytes, detail: 'low' }, options)
}

async function scoreLongText(text: string, pause: () => Promise<void>): Promise<Scores> {
  let scores = perCategory(() => 0)
  for (let at = 0; at < text.length; at += pieceCharacters) {
    const start = Math.max(0, at - overlapCharacters)
    scores = highest(scores, scoreText(text.slice(start, at + pieceCharacters)))
    await pause()
  }
  return scores
}

function highest(a: Scores, b: Scores): Scores {
  return perCategory((category) => Math.max(a[category], b[category]))
}

/** `seen` lists the kinds of input that the scores come from. */
function resultOf(scores: Scores, seen: readonly 'text'[]): ModerationResult {
  const categories = perCategory((category) => scores[category] >= threshold)
  return {
    flagged: moderationCategories.some((category) => categories[category]),
    categories,
    category_scores: scores,
    category_applied_input_types: perCategory(() => [...seen]),
  }
}
