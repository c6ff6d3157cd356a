import { findExpression } from '../math/expression.ts'
import { isRecord, propertiesOf, resolveReferences, textIn } from '../schema/json-schema.ts'
import { spelledOut } from '../text/json-facts.ts'
import { contentStems, rootOf, stopWords, wordsOf } from '../text/words.ts'
import type { EngineTool } from './tool.ts'

/** Words of tools that say little by themselves. */
const general: ReadonlySet<string> = new Set(
  `get set find search list create make do fetch lookup read show check update run call use tool function api data info
  information current given return returns user value string number name type item new retrieve provide perform query
  execute action details detail specific based using request response result results today please want need help like
  good one two available id`
    .split(/\s+/)
    .map(rootOf),
)

/** Words that call for the same thing. */
const families = [
  'weather temperature forecast rain raining sunny umbrella climate snow snowing humid humidity wind windy degrees cold hot warm',
  'calculate calculator calculation compute math arithmetic multiply divide sum plus minus expression evaluate',
  'email mail inbox',
  'message sms text chat notify',
  'stock share ticker price quote market',
  'price cost expensive cheap',
  'flight fly plane airline',
  'hotel room accommodation',
  'book reserve booking reservation',
  'schedule calendar appointment meeting event',
  'remind reminder alarm',
  'translate translation translator',
  'restaurant food eat dinner lunch',
  'map route direction navigate drive distance',
  'news headline article',
  'convert conversion exchange currency',
  'play song music',
  'light lamp bulb switch turn toggle device',
  'buy purchase order',
  'delete remove cancel',
  'image picture photo draw',
  'summarize summary',
  'clock hour timezone',
  'movie film',
  'web internet online google browse',
]
const familyOf = new Map<string, number>()
for (const [index, words] of families.entries())
  for (const word of words.split(' '))
    if (!familyOf.has(rootOf(word))) familyOf.set(rootOf(word), index)

/** The words of a tool and what each of them is worth when a request has it. */
export interface Profile {
  readonly tool: EngineTool
  readonly weights: ReadonlyMap<string, number>
}

const parametersMax = 60

export function profileOf(tool: EngineTool): Profile {
  const weights = new Map<string, number>()
  const add = (text: string, weight: number): void => {
    for (const stem of contentStems(text)) {
      const worth = general.has(stem) ? weight * 0.2 : weight
      weights.set(stem, Math.max(weights.get(stem) ?? 0, worth))
    }
  }
  add(spelledOut(tool.name), 3)
  add(tool.description.slice(0, 600), 1)
  const schema = resolveReferences(tool.parameters, tool.parameters)
  for (const [name, raw] of isRecord(schema) ? propertiesOf(schema).slice(0, parametersMax) : []) {
    add(spelledOut(name), 0.7)
    const property = resolveReferences(raw, tool.parameters)
    if (!isRecord(property)) continue
    add((textIn(property, 'description') ?? '').slice(0, 200), 0.3)
    const values = Array.isArray(property['enum']) ? property['enum'].slice(0, 50) : []
    for (const value of values) if (typeof value === 'string' && value.length > 2) add(value, 1)
  }
  return { tool, weights }
}

/** A score from which a request calls for a tool. */
export const suitMin = 1.8

/** How well a request calls for a tool, 0 and up. */
export function suit(
  text: string,
  { tool, weights }: Profile,
  profiles: readonly Profile[],
): number {
  const words = wordsOf(text)
  const stems = new Set(
    words.filter((word) => !stopWords.has(word.lower)).map((word) => rootOf(word.lower)),
  )
  let score = isNamed(text, tool.name) ? 6 : 0
  // "Read the file …" calls for a tool that is called just so.
  if (words[0]?.lower === tool.name.toLowerCase()) score += suitMin / 2
  for (const stem of stems) score += (weights.get(stem) ?? 0) * distinction(stem, profiles)
  score += related(stems, weights)
  if (
    /\b(?:calculat|math|arithmetic|evaluat|comput)/i.test(`${tool.name} ${tool.description}`) &&
    findExpression(text.slice(0, 2000)) !== undefined
  )
    score += 3
  return score
}

/** A word that most of several tools share tells them apart badly. */
function distinction(stem: string, profiles: readonly Profile[]): number {
  if (profiles.length < 2) return 1
  const holding = profiles.filter((profile) => profile.weights.has(stem)).length
  return holding <= 1 ? 1 : Math.max(0.35, 1 - holding / (profiles.length + 1))
}

function related(stems: ReadonlySet<string>, weights: ReadonlyMap<string, number>): number {
  const wanted = new Map<number, number>()
  for (const [stem, weight] of weights) {
    const family = familyOf.get(stem)
    if (family !== undefined) wanted.set(family, Math.max(wanted.get(family) ?? 0, weight))
  }
  let score = 0
  const counted = new Set<number>()
  for (const stem of stems) {
    const family = familyOf.get(stem)
    if (family === undefined || counted.has(family) || weights.has(stem)) continue
    counted.add(family)
    score += 0.7 * (wanted.get(family) ?? 0)
  }
  return score
}

function isNamed(text: string, name: string): boolean {
  return (
    name.length > 2 &&
    text.toLowerCase().includes(name.toLowerCase()) &&
    (/[_.:-]|[a-z][A-Z]/.test(name) ||
      new RegExp(
        `\\b(?:call|use|run|invoke|with)\\b[^.]{0,30}\\b${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\b`,
        'i',
      ).test(text.slice(0, 5000)))
  )
}
