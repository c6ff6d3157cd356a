import { sentencesOf } from '../text/sentences.ts'

/** What is asked, and the text it is asked about. */
export interface SplitRequest {
  /** At most 2,000 characters, so that the patterns run over it stay cheap. */
  readonly instruction: string
  /** Empty where the request brings no text of its own. */
  readonly passage: string
  /** How the answer is wanted, as far as the request says so apart from its instruction: "Answer in one word". */
  readonly manner: string
}

type Halves = Omit<SplitRequest, 'manner'>

const instructionCharactersMax = 2000
const commandCharactersMax = 500

const verbs = `summarize summarise count sort reverse translate list extract find convert calculate compute classify answer
tell give write say repeat reply respond echo print output return replace remove capitalize capitalise uppercase lowercase
make turn change order arrange rank sum add multiply divide subtract describe explain identify label categorize categorise
determine decide compare name show rewrite rephrase shorten encode decode spell format fill parse generate create solve
evaluate detect check read analyze analyse condense outline tldr deduplicate dedupe alphabetize join split merge pick
select choose provide state quote point highlight review use put take pull combine concatenate simplify expand correct fix
insert swap transform define encrypt decrypt work figure round trim strip alphabetise deduplicate estimate`
const questions = `what what's who who's whom whose where where's when which why how is are was were do does did can could
would will should has have had am please`

const commandWords: ReadonlySet<string> = new Set(`${verbs} ${questions}`.split(/\s+/))

/** Whether a piece of text tells or asks the engine something, rather than being told about. */
export function isCommand(piece: string): boolean {
  const trimmed = piece.trim()
  if (trimmed === '' || trimmed.length > commandCharactersMax) return false
  if (/[?？]["')\]]?$/.test(trimmed)) return true
  if (/^(?:question|instruction|instructions|task|q|query|request)\s*:/i.test(trimmed)) return true
  const first = /^(?:please[ ,]+|now[ ,]+|then[ ,]+|and )?([\p{L}'’]{1,20})/iu
    .exec(trimmed)?.[1]
    ?.toLowerCase()
  return first !== undefined && commandWords.has(first.replace('’', "'"))
}

/** Tells a request's instruction from the text that it works on. */
export function splitRequest(request: string): SplitRequest {
  const [opening, text] = splitManner(request.trim())
  const split =
    splitFences(text) ??
    splitLabels(text) ??
    splitParagraphs(text) ??
    splitLines(text) ??
    splitLine(text)
  const { instruction, passage } = split ?? { instruction: text, passage: '' }
  const [asked, closing] = withoutManner(
    withoutLabel(instruction).slice(0, instructionCharactersMax),
  )
  return { instruction: asked, passage: passage.trim(), manner: `${opening} ${closing}`.trim() }
}

const mannerOpening =
  /^(?:please )?(?:answer|reply|respond)(?: (?:me|briefly|concisely|only|just|the (?:question|following)(?: question)?))*(?: (?:with|in|by|using|saying))?(?: (?:only|just|exactly|either))*(?: (?:an?|one|single|the|yes|no|true|false|or|and|short|brief|number|word|words|sentence|sentences|digit|digits|answer|at|most|json|format|object|upper|lower|case|uppercase|lowercase|\d{1,3}|two|three|few|five|fewer|less))*\s?[:,.-]\s+/i

/** "Answer with yes or no: is 7 prime?" asks whether 7 is prime. */
function splitManner(text: string): readonly [string, string] {
  const match = mannerOpening.exec(text.slice(0, 300))
  const rest = match === null ? '' : text.slice(match[0].length)
  return match === null || !isCommand(rest.split('\n')[0]?.slice(0, commandCharactersMax - 1) ?? '')
    ? ['', text]
    : [match[0], rest]
}

const mannerSentence =
  /^(?:please )?(?:answer|reply|respond|be|give|return|output|use|keep|no|do not|don't|only|just|show)\b.{0,120}\b(?:one word|single word|words?|only|just|brief|concise|terse|yes or no|true or false|json|sentences?|number|short|explanation|upper ?case|lower ?case|nothing else)\b.{0,60}$/i

/** Sentences that only say how to answer, where another one says what. */
function withoutManner(instruction: string): readonly [string, string] {
  const sentences = sentencesOf(instruction)
  if (sentences.length < 2) return [instruction, '']
  const manner = sentences.filter(
    (sentence) => mannerSentence.test(sentence) && !sentence.endsWith('?'),
  )
  if (manner.length === 0 || manner.length === sentences.length) return [instruction, '']
  const asked = sentences.filter((sentence) => !manner.includes(sentence))
  return [asked.join(' '), manner.join(' ')]
}

function withoutLabel(text: string): string {
  return text.trim().replace(/^(?:question|instructions?|task|q|query|request)\s*:\s*/i, '')
}

const fences: readonly (readonly [string, string])[] = [
  ['```', '```'],
  ['"""', '"""'],
  ["'''", "'''"],
]

function splitFences(text: string): Halves | undefined {
  for (const [open, close] of fences) {
    const start = text.indexOf(open)
    const end = start < 0 ? -1 : text.indexOf(close, start + open.length)
    if (end < 0) continue
    const inside = text.slice(start + open.length, end).replace(/^[a-z]{1,12}\n/, '')
    const instruction = `${text.slice(0, start)} ${text.slice(end + close.length)}`
    if (inside.trim() !== '' && instruction.trim() !== '') return { instruction, passage: inside }
  }
  return splitTags(text)
}

/** `<document>…</document>` and the like. */
function splitTags(text: string): Halves | undefined {
  const open = /<([a-z][\w-]{0,30})>/i.exec(text.slice(0, 20_000))
  if (open === null) return undefined
  const inner = open.index + open[0].length
  const close = `</${open[1] ?? ''}>`
  const end = text.lastIndexOf(close)
  if (end < inner) return undefined
  const passage = text.slice(inner, end)
  const instruction = `${text.slice(0, open.index)} ${text.slice(end + close.length)}`
  return passage.trim() === '' || !isAsk(instruction) ? undefined : { instruction, passage }
}

function isAsk(instruction: string): boolean {
  return instruction.trim() !== '' && instruction.length < 20 * commandCharactersMax
}

/** "Context: … Question: …", in either order. */
function splitLabels(text: string): Halves | undefined {
  const question = /(?:^|\n)\s{0,8}(?:question|q|query)\s?:/gi
  let last: RegExpExecArray | undefined
  for (const match of text.matchAll(question)) last = match
  last ??= / (?:Question|Q): ?/.exec(text) ?? undefined
  if (last === undefined) return undefined
  const before = text.slice(0, last.index)
  const after = text.slice(last.index + last[0].length)
  const asked = after.replace(/\n\s{0,8}(?:answer|a)\s?:\s{0,8}$/i, '')
  const context = asked.search(/\n\s{0,8}(?:context|text|passage|document)\s?:/i)
  if (context >= 0)
    return { instruction: asked.slice(0, context), passage: `${before}${asked.slice(context)}` }
  return {
    instruction: asked,
    passage: before.replace(/^\s{0,8}(?:context|text|passage)\s?:/i, ''),
  }
}

function splitParagraphs(text: string): Halves | undefined {
  const paragraphs = text.split(/\n[ \t\r]{0,40}\n/)
  if (paragraphs.length < 2) return undefined
  const first = paragraphs[0] ?? ''
  const last = paragraphs.at(-1) ?? ''
  const leads =
    isCommand(first) || (first.trimEnd().endsWith(':') && first.length < commandCharactersMax)
  const trails = isCommand(last)
  if (!leads && !trails) return undefined
  const from = leads ? 1 : 0
  const to = trails && paragraphs.length - from > 1 ? paragraphs.length - 1 : paragraphs.length
  const instruction = [...paragraphs.slice(0, from), ...paragraphs.slice(to)].join('\n')
  return { instruction, passage: paragraphs.slice(from, to).join('\n\n') }
}

function splitLines(text: string): Halves | undefined {
  const firstEnd = text.indexOf('\n')
  if (firstEnd < 0) return undefined
  const first = text.slice(0, firstEnd)
  const lastStart = text.lastIndexOf('\n')
  const last = text.slice(lastStart + 1)
  if (isCommand(first)) {
    const inline = splitColon(first)
    const rest = text.slice(firstEnd + 1)
    return inline === undefined
      ? { instruction: first, passage: rest }
      : { instruction: inline.instruction, passage: `${inline.passage}\n${rest}` }
  }
  if (isCommand(last)) return { instruction: last, passage: text.slice(0, lastStart) }
  return first.trimEnd().endsWith(':')
    ? { instruction: first, passage: text.slice(firstEnd + 1) }
    : undefined
}

function splitLine(text: string): Halves | undefined {
  return splitColon(text) ?? splitSentences(text)
}

/** "Sort these words: pear, apple". */
function splitColon(text: string): Halves | undefined {
  const colon = /:\s/.exec(text.slice(0, commandCharactersMax))
  if (colon === null) return undefined
  const left = text.slice(0, colon.index)
  const passage = text.slice(colon.index + 1)
  return isCommand(left) && !left.includes('"') && passage.trim() !== ''
    ? { instruction: left, passage }
    : undefined
}

/** "Alice has a red car. What colour is Alice's car?" and "Summarise this. The …". */
function splitSentences(text: string): Halves | undefined {
  const sentences = sentencesOf(text)
  if (sentences.length < 2) return undefined
  const asked = sentences.filter(isCommand)
  const told = sentences.filter((sentence) => !isCommand(sentence))
  if (asked.length === 0 || told.length === 0) return undefined
  return { instruction: asked.join(' '), passage: told.join(' ') }
}
