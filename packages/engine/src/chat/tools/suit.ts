import { findExpression } from '../math/expression.ts'
import { plainSchema, propertiesOf, requiredOf, textIn } from '../schema/json-schema.ts'
import { spelledOut } from '../text/json-facts.ts'
import { contentStems, rootOf, wordsOf } from '../text/words.ts'
import type { EngineTool } from './tool.ts'

/** Words that ask for the same thing. */
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
/** Maps the stem of a word to the stem of the first word of its family, so that all of them count as one. */
const meanings = new Map<string, string>()
for (const words of families) {
  const stems = words.split(' ').map(rootOf)
  for (const stem of stems) if (!meanings.has(stem)) meanings.set(stem, stems[0] ?? stem)
}

function meaningsOf(text: string): ReadonlySet<string> {
  return new Set(contentStems(text).map((stem) => meanings.get(stem) ?? stem))
}

/** Words of tools that say little by themselves. */
const general = meaningsOf(
  `get set find search list create make do fetch lookup read show check update run call use tool function api data info
  information current given return returns user value string number name type item new retrieve provide perform query
  execute action details detail specific based using request response result results today please want need help like
  good one two available id write save open close start stop add manage my`,
)
/** Words that a tool's name may contain and a request need not, since they change nothing. */
const harmless = meaningsOf(
  'get fetch show list lookup read check find retrieve query current api tool data info',
)

/** The words of a tool, with the weight of each one in a request. */
export interface Profile {
  readonly tool: EngineTool
  readonly weights: ReadonlyMap<string, number>
  /** Whether the request must give something for a call. */
  readonly asks: boolean
}

const parametersMax = 60

export function profileOf(tool: EngineTool): Profile {
  const weights = new Map<string, number>()
  const add = (text: string, weight: number): void => {
    for (const meaning of meaningsOf(text)) {
      const worth = general.has(meaning) ? weight * 0.2 : weight
      weights.set(meaning, Math.max(weights.get(meaning) ?? 0, worth))
    }
  }
  add(spelledOut(tool.name), 3)
  add(gistOf(tool), 1)
  const schema = plainSchema(tool.parameters, tool.parameters)
  for (const [name, raw] of propertiesOf(schema).slice(0, parametersMax)) {
    add(spelledOut(name), 0.7)
    const property = plainSchema(raw, tool.parameters)
    add((textIn(property, 'description') ?? '').slice(0, 200), 0.3)
    const values = Array.isArray(property['enum']) ? property['enum'].slice(0, 50) : []
    for (const value of values) if (typeof value === 'string' && value.length > 2) add(value, 1)
  }
  const asks = tool.kind === 'custom' || requiredOf(schema).length > 0
  return { tool, weights, asks }
}

/** From this score on, a request asks for a tool. */
export const suitMin = 1.8

/** How well a request fits a tool; 0 or more. */
export function suit(text: string, profile: Profile, profiles: readonly Profile[]): number {
  const { tool, weights, asks } = profile
  if (isNamed(text, tool.name)) return namedScore
  const said = meaningsOf(text)
  const isWhole = [...meaningsOf(spelledOut(tool.name))].every(
    (meaning) => said.has(meaning) || harmless.has(meaning),
  )
  // A call without arguments is made only if the request contains the tool's whole name.
  if (!asks && !isWhole) return 0
  // "Read the file …" asks for a tool with exactly this name.
  let score = wordsOf(text)[0]?.lower === tool.name.toLowerCase() ? suitMin : 0
  for (const meaning of said) score += (weights.get(meaning) ?? 0) * distinction(meaning, profiles)
  if (isCalculator(tool) && findExpression(text.slice(0, 2000)) !== undefined) score += 3
  return score
}

const namedScore = 100

export function isCalculator(tool: EngineTool): boolean {
  return /\b(?:calculat|math|arithmetic|evaluat|comput)/i.test(`${tool.name} ${gistOf(tool)}`)
}

/** The first sentence of the description. The rest is a manual that may contain any words. */
function gistOf({ description }: EngineTool): string {
  return /^[^\n]{0,300}?(?:\.(?=\s)|$)/m.exec(description)?.[0] ?? ''
}

/** Whether a request mentions what the tool is named after. */
export function speaksOf(text: string, { tool }: Profile): boolean {
  const said = meaningsOf(text)
  const subject = [...meaningsOf(spelledOut(tool.name))].filter((meaning) => !general.has(meaning))
  return isNamed(text, tool.name) || subject.some((meaning) => said.has(meaning))
}

/** A word shared by most of the tools does not distinguish them well. */
function distinction(meaning: string, profiles: readonly Profile[]): number {
  const holding = profiles.filter(({ weights }) => weights.has(meaning)).length
  return holding <= 1 ? 1 : Math.max(0.35, 1 - holding / (profiles.length + 1))
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
