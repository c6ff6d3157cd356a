import { type Ask, answerOf, type Skill } from '../ask/ask.ts'
import { operandOf } from '../ask/operand.ts'
import { itemsOf, setOut } from '../text/items.ts'
import { numbersOf } from '../text/numbers.ts'

const command =
  /\b(?:re-?order|sort(?:ed)?|alphabeti[sz]e|order|arrange|rank|put)\b(?: (?:me|out|the|these|this|those|following|my|all|list|of|words?|names?|items?|numbers?|strings?|lines?|cities|countries|fruits?|animals?)\b)*/i
const manner =
  /[\s,]*\b(?:(?:in(?:to)?|by|from) )?(?:(?:the )?(?:reverse )?(?:alphabetical(?:ly)?|numerical(?:ly)?|numeric|lexicographic(?:al)?(?:ly)?|ascending|descending|increasing|decreasing|reverse|dictionary|length|size|value|number)(?: order)?|(?:smallest|lowest|least|small|low) to (?:largest|highest|biggest|greatest|large|high)|(?:largest|highest|biggest|greatest|large|high) to (?:smallest|lowest|least|small|low)|(?:from )?a to z|(?:from )?z to a|shortest (?:first|to longest)|longest (?:first|to shortest))\b/gi
const dedupeCommand =
  /\b(?:deduplicate|de-?dupe|remove (?:all |the |any )?duplicates?|unique)\b(?: (?:items?|values?|words?|from|in|of|this|the|list|following|and))*/i

/** Sorts alphabetically, by number or by length, in both directions, and removes duplicates. */
export const sort: Skill = {
  name: 'sort',
  answer(ask) {
    const isDistinct = dedupeCommand.test(ask.instruction)
    const isOrder =
      /^(?:please |can you |could you )?(?:sort|alphabeti[sz]e|rank)\b/i.test(ask.instruction) ||
      (command.test(ask.instruction) && ask.instruction.search(manner) >= 0)
    if (!isOrder && !isDistinct) return undefined
    const text = operand(ask, isOrder ? command : dedupeCommand)
    if (text === undefined || text.length > 1_000_000) return undefined
    const { items, separator } = itemsOf(text)
    if (items.length < 2) return undefined
    const open = new Set(items.map((item) => item.toLowerCase()))
    const distinct = isDistinct ? items.filter((item) => open.delete(item.toLowerCase())) : items
    const sorted = isOrder ? arrange(distinct, ask.instruction) : distinct
    const laidOut = setOut(sorted, separator)
    const other = setOut(sorted, separator === 'lines' ? 'commas' : 'lines')
    return answerOf('sort', [laidOut, other], laidOut, [`${sorted.length} items`])
  },
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

const downwards =
  /\bdescend|\bdecreas|\breverse|(?:largest|highest|biggest|greatest|high|large) (?:to|first)|z to a|longest (?:first|to)/i
const alphabet = new Intl.Collator('en', { sensitivity: 'base' })

function arrange(items: readonly string[], instruction: string): string[] {
  const sign = downwards.test(instruction) ? -1 : 1
  const keyed = items.map((item) => {
    const value = numbersOf(item.slice(0, 200))[0]?.value ?? Number.NaN
    return { item, value, length: [...item].length }
  })
  const isNumeric =
    keyed.every(({ value }) => !Number.isNaN(value)) && !/alphabet|lexicograph/i.test(instruction)
  const key = /\blength\b|shortest|longest/i.test(instruction) ? 'length' : 'value'
  const isByKey = key === 'length' || isNumeric
  return keyed
    .sort((left, right) =>
      isByKey ? sign * (left[key] - right[key]) : sign * alphabet.compare(left.item, right.item),
    )
    .map(({ item }) => item)
}
