import type { Ask, Skill } from '../ask/ask.ts'
import { operandOf } from '../ask/operand.ts'
import { itemsOf, setOut } from '../text/items.ts'
import { numbersOf } from '../text/numbers.ts'

const command =
  /\b(?:re-?order|sort(?:ed)?|alphabeti[sz]e|order|arrange|rank|put)\b(?: (?:me|out|the|these|this|those|following|my|all|list|of|words?|names?|items?|numbers?|strings?|lines?|cities|countries|fruits?|animals?)\b)*/i
const manner =
  /[\s,]*\b(?:(?:in(?:to)?|by|from) )?(?:(?:the )?(?:reverse )?(?:alphabetical(?:ly)?|numerical(?:ly)?|numeric|lexicographic(?:al)?(?:ly)?|ascending|descending|increasing|decreasing|reverse|dictionary|length|size|value|number)(?: order)?|(?:smallest|lowest|least|small|low) to (?:largest|highest|biggest|greatest|large|high)|(?:largest|highest|biggest|greatest|large|high) to (?:smallest|lowest|least|small|low)|(?:from )?a to z|(?:from )?z to a|shortest (?:first|to longest)|longest (?:first|to shortest))\b/gi
const dedupeCommand =
  /\b(?:deduplicate|de-?dupe|remove (?:all |the |any )?duplicates?|unique)\b(?: (?:items?|values?|words?|from|in|of|this|the|list|following|and))*/i

/** Sorting by the alphabet, by number or by length, either way round, and leaving out repetitions. */
export const sort: Skill = {
  name: 'sort',
  answer(ask) {
    const dedupe = dedupeCommand.test(ask.instruction)
    const order = isOrder(ask.instruction)
    if (!order && !dedupe) return undefined
    const text = operand(ask, order ? command : dedupeCommand)
    if (text === undefined || text.length > 1_000_000) return undefined
    const { items, separator } = itemsOf(text)
    if (items.length < 2) return undefined
    const distinct = dedupe ? withoutRepetitions(items) : items
    const sorted = order ? arrange(distinct, ask.instruction) : distinct
    const laidOut = setOut(sorted, separator)
    const others = [setOut(sorted, separator === 'lines' ? 'commas' : 'lines')]
    return {
      skill: 'sort',
      phrasings: [laidOut, ...others],
      value: laidOut,
      evidence: [`${sorted.length} items`],
    }
  },
}

function isOrder(instruction: string): boolean {
  if (/^(?:please |can you |could you )?(?:sort|alphabeti[sz]e|rank)\b/i.test(instruction))
    return true
  manner.lastIndex = 0
  return command.test(instruction) && manner.test(instruction)
}

function operand(ask: Ask, pattern: RegExp): string | undefined {
  const bare = ask.instruction
    .replace(manner, ' ')
    .replace(dedupeCommand, ' sort ')
    .replace(/\s+/g, ' ')
  return operandOf(
    { ...ask, instruction: ask.passage === '' ? bare.trim() : 'sort' },
    pattern.test(bare) ? pattern : command,
  )
}

function withoutRepetitions(items: readonly string[]): string[] {
  const seen = new Set<string>()
  return items.filter((item) => {
    const key = item.toLowerCase()
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

const downwards =
  /\bdescend|\bdecreas|\breverse|(?:largest|highest|biggest|greatest|high|large) (?:to|first)|z to a|longest (?:first|to)/i
const alphabet = new Intl.Collator('en', { sensitivity: 'base' })

function arrange(items: readonly string[], instruction: string): string[] {
  const sign = downwards.test(instruction) ? -1 : 1
  const byLength = /\blength\b|shortest|longest/i.test(instruction)
  const values = items.map((item) => numbersOf(item.slice(0, 200))[0]?.value)
  const numeric =
    values.every((value) => value !== undefined) && !/alphabet|lexicograph/i.test(instruction)
  const keyed = items.map((item, index) => ({ item, value: values[index] ?? 0 }))
  keyed.sort((left, right) => {
    if (byLength) return sign * ([...left.item].length - [...right.item].length)
    if (numeric) return sign * (left.value - right.value)
    return sign * alphabet.compare(left.item, right.item)
  })
  return keyed.map(({ item }) => item)
}
