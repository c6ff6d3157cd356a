import { sentencesOf } from '../text/sentences.ts'

/** What is asked, and the text it is asked about. */
export interface SplitRequest {
  /** At most 2,000 characters, so that the patterns run over it stay cheap. */
  readonly instruction: string
  /** Empty where the request brings no text of its own. */
  readonly passage: string
}

export const instructionCharactersMax = 2000
const commandCharactersMax = 500

const verbs = `summarize summarise count sort reverse translate list extract find convert calculate compute classify answer
tell give write say repeat reply respond echo print output return replace remove capitalize capitalise uppercase lowercase
make turn change order arrange rank sum add multiply divide subtract describe explain identify label categorize categorise
determine decide compare name show rewrite rephrase shorten encode decode spell format fill parse generate create solve
evaluate detect check read analyze analyse condense outline tldr deduplicate dedupe alphabetize join split merge pick
select choose provide state quote point highlight review use`
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
  const text = request.trim()
  const split =
    splitFences(text) ??
    splitLabels(text) ??
    splitParagraphs(text) ??
    splitLines(text) ??
    splitLine(text)
  const { instruction, passage } = split ?? { instruction: text, passage: '' }
  return {
    instruction: withoutLabel(instruction).slice(0, instructionCharactersMax),
    passage: passage.trim(),
  }
}

function withoutLabel(text: string): string {
  return text.trim().replace(/^(?:question|instructions?|task|q|query|request)\s*:\s*/i, '')
}

const fences: readonly (readonly [string, string])[] = [
  ['```', '```'],
  ['"""', '"""'],
  ["'''", "'''"],
]

function splitFences(text: string): SplitRequest | undefined {
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
function splitTags(text: string): SplitRequest | undefined {
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
function splitLabels(text: string): SplitRequest | undefined {
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

function splitParagraphs(text: string): SplitRequest | undefined {
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

function splitLines(text: string): SplitRequest | undefined {
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

function splitLine(text: string): SplitRequest | undefined {
  return splitNamed(text) ?? splitColon(text) ?? splitSentences(text)
}

const namedText =
  /[\s.,;:!?](?:text|input|sentence|review|message|e-?mail|tweet|passage|article|document|comment|string|list|paragraph|content|note)\s?:\s/i

/** "Classify as spam or ham. Message: …". */
function splitNamed(text: string): SplitRequest | undefined {
  const label = namedText.exec(text.slice(0, instructionCharactersMax))
  if (label === null) return undefined
  const instruction = text.slice(0, label.index + 1)
  const passage = text.slice(label.index + label[0].length)
  // "Summarise this text: …" names its text within the sentence; the colon rule reads that.
  const ends = /[.!?:;,]\s*$/.test(instruction)
  return ends && isCommand(instruction) && passage.trim() !== ''
    ? { instruction, passage }
    : undefined
}

/** "Sort these words: pear, apple". */
function splitColon(text: string): SplitRequest | undefined {
  const colon = /:\s/.exec(text.slice(0, commandCharactersMax))
  if (colon === null) return undefined
  const left = text.slice(0, colon.index)
  const passage = text.slice(colon.index + 1)
  return isCommand(left) && !left.includes('"') && passage.trim() !== ''
    ? { instruction: left, passage }
    : undefined
}

/** "Alice has a red car. What colour is Alice's car?" and "Summarise this. The …". */
function splitSentences(text: string): SplitRequest | undefined {
  const sentences = sentencesOf(text)
  if (sentences.length < 2) return undefined
  const asked = sentences.filter(isCommand)
  const told = sentences.filter((sentence) => !isCommand(sentence))
  if (asked.length === 0 || told.length === 0) return undefined
  return { instruction: asked.join(' '), passage: told.join(' ') }
}
