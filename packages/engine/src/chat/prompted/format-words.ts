import type { Range } from './braces.ts'

// Tells the words of a prompt that say how to respond from those that the response is about. The first stand next to a schema
// and speak of JSON, schemas and formats; a name, a number or a quotation in a sentence shows that it says something else.

const strong =
  /\b(?:json\w*|schemas?|json_schema|markdown|fenc(?:e|es|ed|ing)|code ?blocks?|back-?ticks?|rfc ?\d+|conform\w*|adher\w*|complian\w*|compatible|well-?formed|deserializ\w*|trailing commas?|preamble)(?![\p{L}])|格式|模式|スキーマ|形式|формат|схем|formato|esquema|schéma/iu
const weak =
  /\b(?:outputs?|format\w*|match\w*|fields?|keys?|propert(?:y|ies)|structure\w*|template|explanations?|commentary|prose|(?:additional|extra|other|any) text|pars(?:ed?|able|ing|er)|instances?|placeholders?|expert|query|question|data types?|interface|definitions?|values?)\b|输出|出力|ответ/iu
const order =
  /\b(?:must|should|your|do not|don't|never|only|always|please|ensure|make sure|respond|reply|answer|return|provide|include|use|using|here is|here's|here are|following|below|above|fill|follow)\b|请|必须/iu
const opensOrder =
  /^(?:please |now |then |and )?(?:answer|respond|reply|return|output|give|provide|produce|generate|use|using|fit|fill|follow|match|write|make|put|convert|extract|format|structure|emit|build|create)\b/i
/** "Text:", "Output:", alone on a line next to a schema. */
const label = /^(?:#{1,6} )?(?:\*\*)?[\p{L} _'’-]{1,40}(?:\*\*)?:(?:\*\*)?$/u
const question = /[?？]\s*$/
const explains =
  /^(?:please )?(?:(?:what|why|how|which|who|is|are|does|do|can|could)\b|explain|describe|summari[sz]e|review|check|validate|fix|improve|document|translate|simplify|rewrite|compare|critique|refactor|convert|turn|extend|update|minify|add|remove|rename)\b/i

/** Says something of the whole response, or of who responds, in words that are never about anything else. */
const plainOrder =
  /^(?:(?:please )?(?:do not|don['’]t|never|make sure|ensure|be sure|you must|you should|remember)\b|nothing (?:else|more)\b|no (?:other|more|additional) (?:words|text)\b|you(?:['’]re| are| act as) (?:a|an|the|my)\b.{0,200}\b(?:assistant|ai|model|expert|system|extractor|parser|bot|agent|engine)\b)/i

const listMark = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/
const quotations = /["“]([^"”]{1,300})["”]|‘([^’]{1,300})’/g
const names = /(?<=[\p{Ll}\p{N},;:] )\p{Lu}\p{Ll}\p{L}*/gu
const namesOfForms =
  /^(?:Json|Schema|Markdown|Python|Pydantic|Type[Ss]cript|Java|Include|Do|Only|Always|Return|Make|Here|Output)/

/** Whether a sentence has something that a value may be taken from. */
function says(sentence: string): boolean {
  const bare = sentence
    .replace(listMark, '')
    .replace(quotations, (quoted) => (strong.test(quoted) ? '' : quoted))
  if (/(?<![\p{L}\p{N}_])\d/u.test(bare) || bare.search(quotations) >= 0) return true
  return (bare.match(names) ?? []).some((name) => !namesOfForms.test(name))
}

/** "in JSON", "using the following schema": the form of the response, and not what the sentence is about. */
const usage =
  /\b(?:match\w*|follow\w*|using|use|with|accord\w*(?: to)?|as|to|conform\w*(?: to)?|per|fit\w*|compl\w*(?: with)?|adher\w*(?: to)?|compatible with|by|for) (?:(?:a|an|the|this|that|these|following|given|valid|exact|output|response|below) ){0,4}(?:json[ _-]?)?(?:schema|format|object|json)\b|\bin (?:(?:a|the|this|valid|following) ){0,3}(?:json|format)\b(?! schema)/gi

const subject = /\bschemas?\b|\b(?:this|that|the following) json\b/i

/** Whether a sentence asks about the schema beside it instead of asking for an instance of it. */
export function asksAboutSchema(sentence: string): boolean {
  const text = sentence.trim()
  return (question.test(text) || explains.test(text)) && subject.test(text.replace(usage, ''))
}

function isAboutForm(sentence: string): boolean {
  const speaksOfForm =
    strong.test(sentence) ||
    (weak.test(sentence) && order.test(sentence)) ||
    plainOrder.test(sentence.replace(listMark, ''))
  return speaksOfForm && !question.test(sentence) && !says(sentence)
}

/** The same for a sentence that is not next to a schema, which must say more clearly that it is about the response. */
function isOrderOfForm(sentence: string): boolean {
  return strong.test(sentence) && order.test(sentence) && isAboutForm(sentence)
}

const sentencesMax = 60
const sentenceCharactersMax = 2_000

/** A text without a range, and without the sentences next to it that say how to respond. */
export interface Cleared {
  readonly text: string
  /** What was removed besides the range. */
  readonly removed: readonly string[]
}

export function withoutFormat(text: string, { start, end }: Range): Cleared {
  const before = shrunkEnd(text.slice(0, start), (sentence, isFirst) => {
    if (isFirst) return introduced(sentence)
    return isAboutForm(sentence) || label.test(sentence) ? '' : sentence
  })
  const after = shrunkStart(
    text.slice(end),
    (sentence) => isAboutForm(sentence) || label.test(sentence),
  )
  return {
    text: [before.text.trim(), after.text.trim()].filter((part) => part !== '').join('\n\n'),
    removed: [...before.removed, ...after.removed],
  }
}

/**
 * A text without the sentences at its ends that say how to respond, for a schema that stands in another text. The whole text
 * if nothing else is in it.
 */
export function withoutFrame(text: string): string {
  const { text: opened } = shrunkStart(text, isOrderOfForm)
  const { text: rest } = shrunkEnd(opened, (sentence) => (isOrderOfForm(sentence) ? '' : sentence))
  return rest
}

/** Fences, tags, quotation marks, rules and brackets around a schema. */
const decorationBefore = /(?:```[\w ]{0,20}|<[\w-]{1,40}>|[-=*_#]{3,10}|["'`([*]|\s)$/
const decorationAfter = /^(?:```|<\/[\w-]{1,40}>|[-=*_#]{3,10}|["'`)\]*.,]|\s)/

/** Removes sentences from the end as long as `keep`, which says what to keep of one, leaves nothing of them. */
function shrunkEnd(whole: string, keep: (sentence: string, isFirst: boolean) => string): Cleared {
  const removed: string[] = []
  let text = whole
  for (let count = 0; count < sentencesMax; count++) {
    text = trimmedBy(text, (part) => decorationBefore.exec(part.slice(-60))?.[0].length ?? 0, -1)
    if (text === '') break
    const from = lastSentence(text)
    const sentence = text.slice(from).trim()
    const kept = keep(sentence, count === 0)
    if (kept === sentence) break
    removed.push(sentence)
    text = text.slice(0, from) + kept
    if (kept !== '') break
  }
  return { text, removed }
}

/** What the sentence right before a schema says besides introducing it. */
function introduced(sentence: string): string {
  if (!strong.test(sentence)) {
    const introduces = sentence.endsWith(':') || opensOrder.test(sentence) || isAboutForm(sentence)
    return introduces && !says(sentence) ? '' : sentence
  }
  const form = sentence.search(/\b(?:json|schema)/i)
  const rest = beforeForm.exec(sentence.slice(0, Math.max(0, form)))?.[1]
  return rest !== undefined && says(rest) ? rest : ''
}

/** "… as valid" before "JSON". */
const beforeForm =
  /^(.*)(?:[,;(]|\s(?:as|in|into|to|using|with|matching|following|and|that|which|against|per|like|for)\s)/is

function shrunkStart(whole: string, isRemoved: (sentence: string) => boolean): Cleared {
  const removed: string[] = []
  let text = whole
  for (let count = 0; count < sentencesMax; count++) {
    text = trimmedBy(text, (part) => decorationAfter.exec(part.slice(0, 60))?.[0].length ?? 0, 1)
    if (text === '') break
    const end = firstSentence(text)
    const sentence = text.slice(0, end).trim()
    if (!isRemoved(sentence)) break
    removed.push(sentence)
    text = text.slice(end)
  }
  return { text, removed }
}

/** Removes what `lengthOf` measures at the end (-1) or the start (1), again and again. */
function trimmedBy(text: string, lengthOf: (text: string) => number, side: -1 | 1): string {
  let [start, end] = [0, text.length]
  while (end > start) {
    const near =
      side < 0 ? text.slice(Math.max(start, end - 60), end) : text.slice(start, start + 60)
    const length = lengthOf(near)
    if (length === 0) break
    if (side < 0) end -= length
    else start += length
  }
  return text.slice(start, end)
}

/** Where the last sentence or line of a text begins. A wrapped line belongs to the sentence that it continues. */
function lastSentence(text: string): number {
  for (let at = text.length - 1; at > Math.max(0, text.length - sentenceCharactersMax); at--) {
    const [mark, next] = [text.charAt(at - 1), text.charAt(at)]
    if (next === '\n' && !continues(text, at)) return at + 1
    if (/\s/.test(next) && '.!?。！？'.includes(mark) && mark !== '') return at + 1
    if ('。！？'.includes(next) && at < text.length - 1) return at + 1
  }
  return Math.max(0, text.length - sentenceCharactersMax)
}

function firstSentence(text: string): number {
  const most = Math.min(text.length, sentenceCharactersMax)
  for (let at = 1; at < most; at++) {
    const [mark, next] = [text.charAt(at - 1), text.charAt(at)]
    if (next === '\n' && !continues(text, at)) return at + 1
    if (/\s/.test(next) && '.!?。！？'.includes(mark)) return at + 1
    if ('。！？'.includes(mark)) return at
  }
  return most
}

/** Whether the line after this break continues the sentence: it begins with a small letter, and the line before is long. */
function continues(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 50), at)
  return (
    !before.includes('\n') &&
    before.length >= 40 &&
    !/[.!?:;]\s*$/.test(before) &&
    /^[ \t]*\p{Ll}/u.test(text.slice(at + 1, at + 40))
  )
}
