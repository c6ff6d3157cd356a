import { findExpression } from '../math/expression.ts'
import {
  isRecord,
  propertiesOf,
  requiredOf,
  resolveReferences,
  textIn,
} from '../schema/json-schema.ts'
import { spelledOut } from '../text/json-facts.ts'
import { contentStems, rootOf, stopWords, wordsOf } from '../text/words.ts'
import type { EngineTool } from './tool.ts'

/** Words of tools that say little by themselves. */
const general: ReadonlySet<string> = new Set(
  `get set find search list create make do fetch lookup read show check update run call use tool function api data info
  information current given return returns user value string number name type item new retrieve provide perform query
  execute action details detail specific based using request response result results today please want need help like
  good one two available id write save open close start stop add remove delete manage
  new my`
    .split(/\s+/)
    .map(rootOf),
)

/** Words that call for the same thing. */
const families = [
  'weather temperature forecast rain raining sunny umbrella climate snow snowing humid humidity wind windy degrees cold hot warm',
  'calculate calculator calculation compute math arithmetic multiply divide sum plus minus adder expression evaluate',
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
  /** Stems of its name that say something. */
  readonly subject: readonly string[]
  /** Whether there is something that a request must say for a call. */
  readonly asks: boolean
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
  add(gistOf(tool), 1)
  const schema = resolveReferences(tool.parameters, tool.parameters)
  const properties = isRecord(schema) ? propertiesOf(schema).slice(0, parametersMax) : []
  for (const [name, raw] of properties) {
    add(spelledOut(name), 0.7)
    const property = resolveReferences(raw, tool.parameters)
    if (!isRecord(property)) continue
    add((textIn(property, 'description') ?? '').slice(0, 200), 0.3)
    const values = Array.isArray(property['enum']) ? property['enum'].slice(0, 50) : []
    for (const value of values) if (typeof value === 'string' && value.length > 2) add(value, 1)
  }
  const subject = contentStems(spelledOut(tool.name)).filter((stem) => !general.has(stem))
  return {
    tool,
    weights,
    subject,
    asks: tool.kind === 'custom' || (isRecord(schema) && requiredOf(schema).length > 0),
  }
}

/** A score from which a request calls for a tool. */
export const suitMin = 1.8

/** How well a request calls for a tool, 0 and up. */
export function suit(text: string, profile: Profile, profiles: readonly Profile[]): number {
  const { tool, weights, asks } = profile
  const words = wordsOf(text)
  const stems = new Set(
    words.filter((word) => !stopWords.has(word.lower)).map((word) => rootOf(word.lower)),
  )
  if (isNamed(text, tool.name)) return namedScore
  // A call that needs no arguments is made only where its whole name is asked for.
  if (
    !asks &&
    !contentStems(spelledOut(tool.name)).every((stem) => isSaid(stem, stems) || harmless.has(stem))
  )
    return 0
  // "Read the file …" calls for a tool that is called just so.
  let score = words[0]?.lower === tool.name.toLowerCase() ? suitMin : 0
  for (const stem of stems) score += (weights.get(stem) ?? 0) * distinction(stem, profiles)
  score += related(stems, weights)
  if (isCalculator(tool) && findExpression(text.slice(0, 2000)) !== undefined) score += 3
  return score
}

const namedScore = 100

/** What a name may say and a request need not, since it changes nothing. */
const harmless: ReadonlySet<string> = new Set(
  'get fetch show list lookup read check find retrieve query current api tool data info'
    .split(' ')
    .map(rootOf),
)

export function isCalculator(tool: EngineTool): boolean {
  return /\b(?:calculat|math|arithmetic|evaluat|comput)/i.test(`${tool.name} ${gistOf(tool)}`)
}

/** The first sentence of the description; what follows is a manual, whose words may be any. */
function gistOf({ description }: EngineTool): string {
  return /^[^\n]{0,300}?(?:\.(?=\s)|$)/m.exec(description)?.[0] ?? ''
}

/** Whether a request speaks of what the tool is named after. */
export function speaksOf(text: string, { tool, subject }: Profile): boolean {
  const stems = new Set(contentStems(text))
  return isNamed(text, tool.name) || subject.some((stem) => isSaid(stem, stems))
}

function isSaid(stem: string, stems: ReadonlySet<string>): boolean {
  const family = familyOf.get(stem)
  return (
    stems.has(stem) ||
    (family !== undefined && [...stems].some((other) => familyOf.get(other) === family))
  )
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

/** Whether a request calls a tool by its name. */
export function isNamed(text: string, name: string): boolean {
  if (name.length < 3 || !text.toLowerCase().includes(name.toLowerCase())) return false
  const exact = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const whole = String.raw`(?<![\w-])${exact}(?![\w-])`
  const marked = /[_.:-]|[a-z][A-Z]/.test(name)
    ? whole
    : String.raw`\b(?:call|use|run|invoke|with|using)\b[^.]{0,30}${whole}|${whole}["'\x60]? (?:tool|function)\b`
  return new RegExp(marked, 'i').test(text.slice(0, 20_000))
}
