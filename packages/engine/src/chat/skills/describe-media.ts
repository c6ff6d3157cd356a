import { type Ask, answerOf, type Skill } from '../ask/ask.ts'
import { lastUserTurn, type Medium } from '../ask/conversation.ts'
import { sentencesOf } from '../text/sentences.ts'

const aboutMedia =
  /\b(?:image|picture|photo|photograph|screenshot|drawing|logo|audio|recording|sound|clip|speech|voice|song|music|video|film|movie|see|hear|shown|describe|transcribe|caption|pixels?|wide|width|height|tall|dimensions?|resolution|colou?rs?|bright|dark|format|duration|how long|loud|channels?|sample rate)\b|^\s*(?:what(?:'s| is| are) (?:this|that|it|these|in (?:this|it|here))|what do you (?:see|hear))/i

/** Describes what was measured of the images, audio and videos of the last turn. */
export const describeMedia: Skill = {
  name: 'describe-media',
  answer(ask) {
    const media = mediaOf(ask)
    if (media.length === 0) return undefined
    if (ask.text.trim() !== '' && !aboutMedia.test(ask.instruction)) return undefined
    const text = media.map((medium) => partAsked(medium, ask.instruction)).join('\n')
    const measured = media.map((medium) => medium.description)
    return answerOf('describe-media', [text], text, measured)
  },
}

/** The media of the last user turn, otherwise the latest earlier ones. Documents are texts and are read as such. */
function mediaOf({ conversation, instruction }: Ask): readonly Medium[] {
  const asked = lastUserTurn(conversation)
  const isBack = /\b(?:image|picture|photo|audio|recording|video|clip|it)\b/i.test(instruction)
  const turns = isBack ? conversation.turns : []
  const shown = [...turns, ...(asked === undefined ? [] : [asked])].map(({ media }) =>
    media.filter((medium) => medium.kind !== 'document'),
  )
  return shown.findLast((media) => media.length > 0) ?? []
}

/** Patterns of a question about one property and of the sentence that answers it. */
const properties: readonly (readonly [RegExp, RegExp])[] = [
  [/\b(?:wide|width|height|high|tall|big|large|dimensions?|size|resolution|pixels?)\b/i, /pixel/],
  [/\b(?:colou?rs?)\b/i, /color/],
  [/\b(?:duration|how long|long)\b/i, /duration/],
  [/\b(?:loud|volume|level|channels?|mono|stereo)\b/i, /channel|level/],
  [/\b(?:format|type|kind of file|sample rate)\b/i, /This is an? /],
]

function partAsked({ description }: Medium, instruction: string): string {
  const held = properties.find(([asked]) => asked.test(instruction))?.[1]
  const found = held === undefined ? [] : sentencesOf(description).filter((each) => held.test(each))
  return found.length > 0 ? found.join(' ') : description
}
