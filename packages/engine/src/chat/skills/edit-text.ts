import type { Answer, Ask, Skill } from '../ask/ask.ts'
import { earlierText, operandOf } from '../ask/operand.ts'
import { itemsOf, setOut } from '../text/items.ts'
import { quotedOf } from '../text/spans.ts'
import { wordsOf } from '../text/words.ts'

/** Reversing, replacing, removing, joining and splitting. */
export const editText: Skill = {
  name: 'edit-text',
  answer: (ask) => reversed(ask) ?? replaced(ask) ?? removed(ask) ?? listed(ask) ?? initials(ask),
}

function edited(text: string, from: string): Answer {
  return { skill: 'edit-text', phrasings: [text], value: text, evidence: [from], verbatim: true }
}

const backwards =
  /\b(?:reverse|spell backwards?|write backwards?|invert the order of)\b(?: the)?(?: order of)?(?: the)?( words?| letters?| characters?| list| items?| lines?| numbers?| string)?(?: (?:in|of|order))?/i

function reversed(ask: Ask): Answer | undefined {
  const match = backwards.exec(ask.instruction)
  const after =
    /\bbackwards?\b|\bin reverse(?: order)?\b/i.test(ask.instruction) &&
    /^(?:please )?(?:write|spell|print|say|what)\b/i.test(ask.instruction)
  if (match === null && !after) return undefined
  if (match !== null && /\b(?:sort|did|does|was|is)\b/i.test(ask.instruction.slice(0, match.index)))
    return undefined
  const bare = {
    ...ask,
    instruction: ask.instruction.replace(/\bbackwards?\b|\bin reverse(?: order)?\b/i, '').trim(),
  }
  const command =
    match === null ? /^(?:please )?(?:write|spell|print|say|what is|what's)/i : backwards
  const text = operandOf(bare, command)
  if (text === undefined) return undefined
  const unit = match?.[1]?.trim().toLowerCase() ?? ''
  if (unit.startsWith('word')) return edited(text.trim().split(/\s+/).reverse().join(' '), text)
  const list = itemsOf(text)
  const isList =
    /^(?:list|item|line|number)/.test(unit) || (unit === '' && list.separator !== 'blanks')
  if (isList) return edited(setOut([...list.items].reverse(), list.separator), text)
  return edited([...segments(text)].reverse().join(''), text)
}

/** What a reader takes for one character, so that accents and joined emoji stay whole. */
function segments(text: string): string[] {
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
  return Array.from(graphemes.segment(text), ({ segment }) => segment)
}

const replacement =
  /\breplac(?:e|ing)\b(?: (?:all|every|each|any))?(?: (?:the|occurrences? of|instances? of|of|word|words|letter|letters|character|characters))* (.{1,200}?) (?:with|by)(?: (?:the|word|letter|character))* (.{1,200}?)(?=(?: in\b(?: the| this)?(?: following| text| sentence| string| phrase)*\b)|[:.]\s|[.:]?$)/is

function replaced(ask: Ask): Answer | undefined {
  const match = replacement.exec(ask.instruction)
  if (match === null) return undefined
  const [from, to] = [bare(match[1] ?? ''), bare(match[2] ?? '')]
  const text = replacementOperand(ask, match)
  if (text === undefined || from === '') return undefined
  const single = /^[\p{L}\p{N}]{2,}$/u.test(from) || from.includes(' ')
  const pattern = new RegExp(
    single ? `(?<![\\p{L}\\p{N}])${escaped(from)}(?![\\p{L}\\p{N}])` : escaped(from),
    'giu',
  )
  const named = from === 'spaces' ? / +/g : from === 'commas' ? /,/g : pattern
  const into =
    ({ spaces: ' ', underscores: '_', dashes: '-', commas: ',' } as Record<string, string>)[to] ??
    to
  return edited(
    text.replace(named, () => into),
    text,
  )
}

function replacementOperand(ask: Ask, match: RegExpExecArray): string | undefined {
  if (ask.passage !== '') return ask.passage
  const rest = ask.instruction
    .slice(match.index + match[0].length)
    .replace(/^ in\b(?: the| this| following| text| sentence| string| phrase)*:?\s*/i, '')
    .trim()
  return rest === '' || rest === '.'
    ? earlierText(ask)
    : (quotedOf(rest)[0]?.text ?? rest.replace(/^[:.\s]+/, ''))
}

function bare(text: string): string {
  return text.trim().replace(/^["'“‘`](.*)["'”’`]$/su, '$1')
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('-', '\\x2d')
}

const removals: readonly (readonly [RegExp, RegExp])[] = [
  [/\bvowels\b/i, /[aeiou]/gi],
  [/\bconsonants\b/i, /[b-df-hj-np-tv-z]/gi],
  [/\b(?:white ?space|spaces|blanks)\b/i, /\s+/g],
  [/\bpunctuation\b/i, /[\p{P}]/gu],
  [/\b(?:digits|numbers)\b/i, /\d+/g],
  [/\bemojis?\b/i, /\p{Extended_Pictographic}\uFE0F?/gu],
  [/\b(?:line ?breaks|newlines)\b/i, /\s*\n\s*/g],
]
const removing = /\b(?:remove|delete|strip|drop|take out)\b(?: (?:all|every|any|the|out|of))*/i

function removed(ask: Ask): Answer | undefined {
  const match = removing.exec(ask.instruction)
  if (match === null) return undefined
  const rest = ask.instruction.slice(match.index + match[0].length)
  const kind = removals.find(([name]) => name.test(rest.slice(0, 60)))
  const command = /\b(?:remove|delete|strip|drop|take out)\b.{0,60}?\b(?:from|in|of)\b/i
  if (kind !== undefined) {
    const text = operandOf(ask, command)
    const filler = kind[0].test('newlines') ? ' ' : ''
    return text === undefined ? undefined : edited(text.replace(kind[1], filler), text)
  }
  const named =
    /^\s*(?:letters?|words?|characters?)? ?["'“]?([\p{L}\p{N}]{1,40})["'”]? from /iu.exec(rest)
  if (named?.[1] === undefined || /^duplicates?$/i.test(named[1])) return undefined
  const text =
    operandOf({ ...ask, instruction: rest.slice(named[0].length) }, /^(?=.)/) ??
    rest.slice(named[0].length)
  const word = named[1].length > 1 ? `(?<![\\p{L}\\p{N}])${named[1]}(?![\\p{L}\\p{N}]) ?` : named[1]
  return edited(text.replace(new RegExp(word, 'giu'), '').trim(), text)
}

const listing =
  /\b(?:(?:convert|turn|make|change|format|write|rewrite|put|join|split|give)\b.{0,80}?)\b(comma[- ]separated|bullet(?:ed)?(?: points?| list)|numbered list|one (?:item )?per line|(?:separate|new) lines|json (?:array|list))/i

function listed(ask: Ask): Answer | undefined {
  const match = listing.exec(ask.instruction)
  if (match === null || /summar|main|key/i.test(ask.instruction)) return undefined
  const text = operandOf(
    ask,
    /(?:comma[- ]separated|bullet(?:ed)?|numbered|per line|separate lines|json)(?: (?:list|array|points?|values?))?(?: of)?/i,
  )
  if (text === undefined) return undefined
  const { items, separator } = itemsOf(text)
  if (separator === 'blanks' && /^bullet|^numbered/i.test(match[1] ?? '')) return undefined
  const kind = match[1]?.toLowerCase() ?? ''
  if (kind.startsWith('comma')) return edited(items.join(', '), text)
  if (kind.startsWith('bullet')) return edited(items.map((item) => `- ${item}`).join('\n'), text)
  if (kind.startsWith('numbered'))
    return edited(items.map((item, index) => `${index + 1}. ${item}`).join('\n'), text)
  return edited(kind.startsWith('json') ? JSON.stringify(items) : items.join('\n'), text)
}

const initialsCommand =
  /\b(?:acronym|initials|abbreviation)\b(?: (?:of|for|from))?(?: the)?(?: phrase| words?| name)?/i

function initials(ask: Ask): Answer | undefined {
  if (!initialsCommand.test(ask.instruction) || /\bstands? for\b|\bmean/i.test(ask.instruction))
    return undefined
  const text = operandOf(ask, initialsCommand)
  if (text === undefined || text.length > 2000) return undefined
  const letters = wordsOf(text)
    .filter(({ lower }) => !['of', 'the', 'and', 'for', 'a', 'an', 'in'].includes(lower))
    .map(({ text: word }) => [...word][0]?.toUpperCase() ?? '')
  return letters.length === 0 ? undefined : edited(letters.join(''), text)
}
