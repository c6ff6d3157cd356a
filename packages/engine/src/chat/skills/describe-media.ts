import type { Answer, Ask, Skill } from '../ask/ask.ts'
import { lastUserTurn, type Medium } from '../ask/conversation.ts'
import { coverage, indexSentences } from '../text/ranking.ts'
import { sentencesOf } from '../text/sentences.ts'
import { contentStems, rootOf } from '../text/words.ts'

const aboutMedia =
  /\b(?:image|picture|photo|photograph|screenshot|drawing|logo|audio|recording|sound|clip|speech|voice|song|music|video|film|movie|see|hear|shown|describe|transcribe|caption|pixels?|wide|width|height|tall|dimensions?|resolution|colou?rs?|bright|dark|format|duration|how long|loud|channels?|sample rate)\b|^\s*(?:what(?:'s| is| are) (?:this|that|it|these|in (?:this|it|here))|what do you (?:see|hear))/i

/** Says what was measured of the pictures, sounds and films of the last turn. */
export const describeMedia: Skill = {
  name: 'describe-media',
  async answer(ask) {
    const media = mediaOf(ask)
    if (media.length === 0) return undefined
    const bare = ask.text.trim() === ''
    if (!bare && !aboutMedia.test(ask.instruction)) return undefined
    const described = await Promise.all(media.map((medium) => chosen(medium, ask)))
    const text = described.join('\n')
    return {
      skill: 'describe-media',
      phrasings: [text],
      value: text,
      evidence: media.map((medium) => medium.description),
    } satisfies Answer
  },
}

/** Of the last user turn, or else the latest earlier ones; documents are texts and read as such. */
function mediaOf(ask: Ask): Medium[] {
  const own =
    lastUserTurn(ask.conversation)?.media.filter((medium) => medium.kind !== 'document') ?? []
  if (own.length > 0) return own
  const earlier = ask.conversation.turns.findLast((turn) =>
    turn.media.some((medium) => medium.kind !== 'document'),
  )
  return aboutMedia.test(ask.instruction) &&
    /\b(?:image|picture|photo|audio|recording|video|clip|it)\b/i.test(ask.instruction)
    ? [...(earlier?.media ?? [])]
    : []
}

const generic: ReadonlySet<string> = new Set(
  'image picture photo photograph screenshot audio recording sound clip video film movie describe see hear show content contain depict transcribe caption file attach look like happen'
    .split(' ')
    .map(rootOf),
)
const related: Readonly<Record<string, string>> = {
  width: 'wide',
  big: 'pixel',
  larg: 'pixel',
  dimens: 'pixel',
  size: 'pixel',
  resolut: 'pixel',
  long: 'durat',
  bright: 'bright',
  dark: 'bright',
  light: 'bright',
  color: 'color',
  main: 'domin',
  loud: 'level',
  volum: 'level',
  mono: 'channel',
  stereo: 'channel',
  type: 'format',
  shape: 'orient',
  landscap: 'orient',
  portrait: 'orient',
  transpar: 'transpar',
}

/** A question about one property is answered with the sentence that holds it. */
async function chosen(medium: Medium, ask: Ask): Promise<string> {
  const terms = new Set(
    contentStems(ask.instruction)
      .filter((stem) => !generic.has(stem))
      .map((stem) => (Object.hasOwn(related, stem) ? related[stem] : undefined) ?? stem),
  )
  if (terms.size === 0) return medium.description
  const sentences = sentencesOf(medium.description)
  const index = await indexSentences(sentences, ask.pause)
  const best = sentences
    .map((sentence, number) => ({ sentence, covered: coverage(index, number, terms) }))
    .filter((entry) => entry.covered >= 0.4)
    .sort((left, right) => right.covered - left.covered)[0]
  return best?.sentence ?? medium.description
}
