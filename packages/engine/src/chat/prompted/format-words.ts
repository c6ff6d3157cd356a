import type { Range } from './notation.ts'

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
interface Cleared {
  readonly text: string
  /** What was removed besides the range. */
  readonly removed: readonly string[]
}

export function withoutFormat(text: string, { start, end }: Range): Cleared {
  const keep: Keep = (sentence) => (isAboutForm(sentence) || label.test(sentence) ? '' : sentence)
  const before = shrunk(text.slice(0, start), 'end', (sentence, isFirst) =>
    isFirst ? introduced(sentence) : keep(sentence, isFirst),
  )
  const after = shrunk(text.slice(end), 'start', keep)
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
  const keep: Keep = (sentence) => (isOrderOfForm(sentence) ? '' : sentence)
  return shrunk(shrunk(text, 'start', keep).text, 'end', keep).text
}

/** What to keep of a sentence. */
type Keep = (sentence: string, isFirst: boolean) => string

/** Removes sentences from one end of a text as long as nothing of them is to be kept. */
function shrunk(text: string, side: 'start' | 'end', keep: Keep): Cleared {
  const all = piecesOf(text)
  const pieces = side === 'end' ? all : all.reverse()
  const removed: string[] = []
  for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) {
    const bare = undecorated(piece, side)
    const sentence = bare.trim()
    if (sentence === '') continue
    const kept = removed.length < sentencesMax ? keep(sentence, removed.length === 0) : sentence
    if (kept !== sentence) removed.push(sentence)
    if (kept === '') continue
    pieces.push(kept === sentence ? bare : kept)
    break
  }
  return { text: (side === 'end' ? pieces : pieces.reverse()).join(''), removed }
}

/** Ends of sentences and of lines. A wrapped line belongs to the sentence that it continues: the line before it is long. */
const boundary =
  /(?<=[.!?]\s|[。！？]|\n)(?!(?<=[^\n]{50}(?<![.!?:;][^\S\n]{0,9})\n)[ \t]{0,40}\p{Ll})/u
const pieces = new RegExp(`[^]{1,${sentenceCharactersMax}}`, 'gu')

/** The sentences and lines of a text; joined they are the text. */
function piecesOf(text: string): string[] {
  return text.split(boundary).flatMap((sentence) => sentence.match(pieces) ?? [])
}

/** Fences, tags, quotation marks, rules and brackets around a schema. */
const decorations = {
  end: /(?:```[\w ]{0,20}|<[\w-]{1,40}>|[-=*_#]{3,10}|["'`([*]|\s)$/,
  start: /^(?:```|<\/[\w-]{1,40}>|[-=*_#]{3,10}|["'`)\]*.,]|\s)/,
}

function undecorated(text: string, side: 'start' | 'end'): string {
  for (let rest = text; ; ) {
    const near = side === 'end' ? rest.slice(-60) : rest.slice(0, 60)
    const length = decorations[side].exec(near)?.[0].length ?? 0
    if (length === 0) return rest
    rest = side === 'end' ? rest.slice(0, -length) : rest.slice(length)
  }
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
