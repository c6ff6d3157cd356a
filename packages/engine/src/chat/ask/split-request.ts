import { wordsIn } from '../../word-lists.ts'
import { sentencesOf } from '../text/sentences.ts'
import { elementsOf } from './harness.ts'

/** What is asked, and the text it is about. */
interface SplitRequest {
  /** At most 2,000 characters, so that matching patterns against it stays cheap. */
  readonly instruction: string
  /** Empty if the request contains no text of its own. */
  readonly passage: string
  /** What the request says about the form of the response, apart from its instruction: "Answer in one word". */
  readonly manner: string
}

type Halves = Omit<SplitRequest, 'manner'>

const instructionCharactersMax = 2000
const commandCharactersMax = 500

const commandWords = wordsIn('commands')

const questionLabel = /^(?:question|instructions?|task|q|query|request)\s*:\s*/i

/** Whether a piece of text tells or asks the engine something, and is not just information. */
export function isCommand(piece: string): boolean {
  const trimmed = piece.trim()
  if (trimmed === '' || trimmed.length > commandCharactersMax) return false
  if (/[?？]["')\]]?$/.test(trimmed)) return true
  if (questionLabel.test(trimmed)) return true
  const first = /^(?:please[ ,]+|now[ ,]+|then[ ,]+|and )?([\p{L}'’]{1,20})/iu
    .exec(trimmed)?.[1]
    ?.toLowerCase()
  return first !== undefined && commandWords.has(first.replace('’', "'"))
}

/** Separates a request's instruction from the text that it works on. */
export function splitRequest(request: string): SplitRequest {
  const text = request.trim()
  const { instruction, passage } = splitFence(text) ??
    splitTag(text) ??
    splitLabels(text) ??
    splitPieces(text.split(/\n[ \t\r]{0,40}\n/), '\n\n') ??
    splitPieces(text.split('\n'), '\n') ??
    splitColon(text) ??
    splitSentences(text) ?? { instruction: text, passage: '' }
  const bare = instruction.trim().replace(questionLabel, '')
  const [asked, manner] = withoutManner(bare.slice(0, instructionCharactersMax))
  return { instruction: asked, passage: passage.trim(), manner }
}

const mannerSentence =
  /^(?:please )?(?:answer|reply|respond|be|give|return|output|use|keep|no|do not|don't|only|just|show)\b.{0,120}\b(?:one word|single word|words?|only|just|brief|concise|terse|yes or no|true or false|json|sentences?|number|short|explanation|upper ?case|lower ?case|nothing else)\b.{0,60}$/i

/** Removes sentences that only say how to respond, if another one says what is asked. */
function withoutManner(instruction: string): readonly [asked: string, manner: string] {
  const sentences = sentencesOf(instruction)
  const isManner = (each: string): boolean => mannerSentence.test(each) && !each.endsWith('?')
  const asked = sentences.filter((sentence) => !isManner(sentence))
  if (asked.length === 0 || asked.length === sentences.length) return [instruction, '']
  return [asked.join(' '), sentences.filter(isManner).join(' ')]
}

/** The text inside a fence of marks, and the text around it. */
function splitFence(text: string): Halves | undefined {
  for (const mark of ['```', '"""', "'''"]) {
    const start = text.indexOf(mark)
    const end = start < 0 ? -1 : text.indexOf(mark, start + mark.length)
    const passage = text.slice(start + mark.length, end).replace(/^[a-z]{1,12}\n/, '')
    const instruction = `${text.slice(0, start)} ${text.slice(end + mark.length)}`
    if (end >= 0 && passage.trim() !== '' && instruction.trim() !== '')
      return { instruction, passage }
  }
  return undefined
}

/** `<document>…</document>` and similar elements. */
function splitTag(text: string): Halves | undefined {
  const [first] = elementsOf(text, () => true)
  if (first === undefined) return undefined
  const { start, end, inner: passage } = first
  const instruction = `${text.slice(0, start)} ${text.slice(end)}`
  const isAsk = instruction.trim() !== '' && instruction.length < 20 * commandCharactersMax
  return passage.trim() !== '' && isAsk ? { instruction, passage } : undefined
}

/** "Context: … Question: …". */
function splitLabels(text: string): Halves | undefined {
  const last =
    [...text.matchAll(/(?:^|\n)\s{0,8}(?:question|q|query)\s?:/gi)].at(-1) ??
    / (?:Question|Q): ?/.exec(text)
  if (last === null) return undefined
  const before = text.slice(0, last.index)
  const after = text
    .slice(last.index + last[0].length)
    .replace(/\n\s{0,8}(?:answer|a)\s?:\s{0,8}$/i, '')
  const passage = before.replace(/^\s{0,8}(?:context|text|passage)\s?:/i, '')
  return { instruction: after, passage }
}

/** Paragraphs or lines of which the first or the last is the instruction. */
function splitPieces(pieces: readonly string[], glue: string): Halves | undefined {
  const [first = '', ...rest] = pieces
  const last = rest.pop()
  if (last === undefined) return undefined
  const isOpening = first.trimEnd().endsWith(':') && first.length < commandCharactersMax
  const leads = isCommand(first) || isOpening
  const trails = isCommand(last) && !(leads && rest.length === 0)
  if (!leads && !trails) return undefined
  const instruction = [...(leads ? [first] : []), ...(trails ? [last] : [])]
  const passage = [...(leads ? [] : [first]), ...rest, ...(trails ? [] : [last])]
  return { instruction: instruction.join('\n'), passage: passage.join(glue) }
}

/** "Sort these words: pear, apple". */
function splitColon(text: string): Halves | undefined {
  const colon = text.slice(0, commandCharactersMax).search(/:\s/)
  const [instruction, passage] = [text.slice(0, colon), text.slice(colon + 1)]
  const isSplit = colon >= 0 && isCommand(instruction) && !instruction.includes('"')
  return isSplit && passage.trim() !== '' ? { instruction, passage } : undefined
}

/** "Alice has a red car. What colour is Alice's car?" and "Summarise this. The …". */
function splitSentences(text: string): Halves | undefined {
  const sentences = sentencesOf(text)
  const asked = sentences.filter(isCommand)
  if (asked.length === 0 || asked.length === sentences.length) return undefined
  const passage = sentences.filter((sentence) => !asked.includes(sentence))
  return { instruction: asked.join(' '), passage: passage.join(' ') }
}

const withheld =
  /\b(?:do not|don['’]?t|never|without|avoid|refrain from|must not|mustn['’]?t|should not|shouldn['’]?t|instead of|rather than)\b(?! (?:forget|hesitate|worry|fail|mind|miss)\b)[^\n]{0,200}?(?=,|;|\b(?:but|just|only)\b|[.?!](?:\s|$)|\n|$)/gi

/** The request without the parts that say what not to do, if they are about the given matter. */
export function withoutWithheld(text: string, isAbout: (part: string) => boolean): string {
  return text.replace(withheld, (part) => (isAbout(part) ? '' : part))
}

const hypothetical =
  /^(?:so |and |but |well,? )?(?:how (?:do|can|could|should|would|does|to)|should|shall|may i|can i|could i|what (?:happens?|would|if)|why|is it|is there|would it|did|have|has|was|were)\b|^(?:is|are|am|do|does)\b[^?]{0,500}\?\s*$/i

/** Whether a sentence asks about an action instead of asking for it. */
export function asksAbout(sentence: string): boolean {
  return hypothetical.test(sentence.trim())
}
