import { findClues, type Clues } from '../schema/clues.ts'
import { createInstance, type Instance } from '../schema/instance.ts'
import {
  isRecord,
  type JsonSchema,
  merged,
  propertiesOf,
  requiredOf,
  resolveReferences,
  textIn,
} from '../schema/json-schema.ts'
import { placesOf } from '../schema/places.ts'
import { describeProperty } from '../schema/property.ts'
import { mentionedValues } from '../schema/fill-enum.ts'
import { wordingOf } from '../schema/phrases.ts'
import { matchesPattern } from '../schema/regex/match.ts'
import { samplePattern } from '../schema/regex/sample.ts'
import type { Span } from '../text/spans.ts'
import { rolesOf } from '../files/file-tools.ts'
import { spelledOut } from '../text/json-facts.ts'
import { sentencesOf } from '../text/sentences.ts'
import { clausesOf } from './clauses.ts'
import { isCalculator, isNamed, type Profile, profileOf, speaksOf, suit, suitMin } from './suit.ts'
import type { EngineTool, ToolUse } from './tool.ts'

/** A call to be made. */
export interface PlannedCall {
  readonly tool: EngineTool
  /** JSON text of the arguments, or the text for a custom tool. */
  readonly input: string
  /** Required arguments that the request says nothing for. */
  readonly unsaid: readonly string[]
}

export interface PlanOptions {
  readonly clues: Clues
  /** The request needs information that the engine itself has not. */
  readonly needsLookup: boolean
  /** The engine has computed what the request wants. */
  readonly isAnswered: boolean
  /** The system text demands a call of the only tool. */
  readonly isDemanded: boolean
}

const callsMax = 32

/** The calls that a request asks for, in its order; empty where it asks for none and none is required. */
export function planCalls(use: ToolUse, options: PlanOptions): PlannedCall[] {
  const { text } = options.clues
  const isFree = (tool: EngineTool): boolean =>
    isNamed(text, tool.name) || (!spawns(tool) && rolesOf(tool).length === 0)
  const tools = use.mode === 'required' ? use.tools : use.tools.filter(isFree)
  const profiles = tools.map(profileOf)
  const named = profiles.filter(({ tool }) => isNamed(text, tool.name))
  const asked = named.length > 0 ? namedCalls(named, options) : askedCalls(profiles, options)
  const calls = asked.length > 0 ? asked : wholeCalls(profiles, use, options)
  // Nobody asked for a call that is made of guesses.
  const meant = use.mode === 'required' ? calls : calls.filter(({ unsaid }) => unsaid.length === 0)
  return distinct(meant).slice(0, callsMax)
}

/** What starts another agent costs without end, so that nothing but its name calls for it. */
function spawns({ name, parameters }: EngineTool): boolean {
  const words = spelledOut(name)
    .toLowerCase()
    .split(/[^a-z]+/)
  const properties = isRecord(parameters) ? propertiesOf(parameters).map(([key]) => key) : []
  return (
    /\b(?:sub)?agents?\b|\bspawn\b|\bdelegate\b|\bteam(?:mate)?s?\b|\bworkflow\b|\bskill\b|^(?:new )?task$/.test(
      words.join(' '),
    ) || properties.some((key) => /^(?:sub)?agent/i.test(key))
  )
}

/** Each tool that is called by its name, once for what the rest of the request says. */
function namedCalls(named: readonly Profile[], { clues }: PlanOptions): PlannedCall[] {
  const { text, now, answer } = clues
  const holdsName = (part: string): boolean => named.some(({ tool }) => isNamed(part, tool.name))
  const about = sentencesOf(text).filter((sentence) => !holdsName(sentence))
  const places = named
    .map(({ tool }) => ({ tool, start: text.toLowerCase().indexOf(tool.name.toLowerCase()) }))
    .sort((left, right) => left.start - right.start)
  return places.flatMap(({ tool, start }, index) => {
    const own = text.slice(start + tool.name.length, places[index + 1]?.start)
    const bare = places.reduce((rest, place) => rest.replaceAll(place.tool.name, ' '), text)
    const tries = [about.join(' '), own, bare].map((part) =>
      callsOf(tool, findClues(part, { now, answer, before: clues.before })),
    )
    const said = tries.find(
      (calls) => calls.length > 0 && calls.every(({ unsaid }) => unsaid.length === 0),
    )
    return said ?? tries.at(-1) ?? []
  })
}

interface Part {
  readonly profile: Profile
  text: string
}

/** One tool per clause; a clause that calls for none belongs to the one before it. */
function askedCalls(profiles: readonly Profile[], { clues }: PlanOptions): PlannedCall[] {
  const clauses = clausesOf(clues.text)
  if (clauses.length < 2) return []
  const parts: Part[] = []
  let lead = ''
  for (const clause of clauses) {
    const best = bestFor(clause, profiles)
    const last = parts.at(-1)
    if (best !== undefined) {
      parts.push({ profile: best, text: `${lead}${clause}` })
      lead = ''
    } else if (last !== undefined) last.text += `. ${clause}`
    else lead += `${clause}. `
  }
  const tools = new Set(parts.map((part) => part.profile))
  if (parts.length < 2 && tools.size < 2) return []
  return parts.flatMap((part) =>
    callsOf(
      part.profile.tool,
      findClues(part.text, { now: clues.now, before: clues, answer: clues.answer }),
    ),
  )
}

function bestFor(text: string, profiles: readonly Profile[]): Profile | undefined {
  const ranked = ranking(text, profiles)
  const [best] = ranked
  return best !== undefined && best.score >= suitMin ? best.profile : undefined
}

function ranking(
  text: string,
  profiles: readonly Profile[],
): { profile: Profile; score: number }[] {
  return profiles
    .map((profile) => ({ profile, score: suit(text, profile, profiles) }))
    .sort((left, right) => right.score - left.score)
}

function wholeCalls(
  profiles: readonly Profile[],
  use: ToolUse,
  { clues, needsLookup, isAnswered, isDemanded }: PlanOptions,
): PlannedCall[] {
  const [best] = ranking(clues.text, profiles)
  if (best === undefined) return []
  // What is computed already needs a tool only if the request speaks of it.
  if (isAnswered && use.mode === 'auto' && !isCalculator(best.profile.tool))
    if (!speaksOf(clues.text, best.profile)) return []
  const lookup = needsLookup ? profiles.find((profile) => isLookup(profile.tool)) : undefined
  const chosen =
    best.score >= suitMin
      ? best.profile
      : (lookup ?? (use.mode === 'required' || isDemanded ? best.profile : undefined))
  if (chosen === undefined) return []
  const made = callsOf(chosen.tool, clues)
  if (made.length > 0 || use.mode !== 'required') return made
  // No instance is valid against this tool's schema; another tool's may be.
  for (const { profile } of ranking(clues.text, profiles)) {
    const calls = callsOf(profile.tool, clues)
    if (calls.length > 0) return calls
  }
  return []
}

/** A search with one free text to fill in. */
function isLookup(tool: EngineTool): boolean {
  const schema = resolveReferences(tool.parameters, tool.parameters)
  if (
    !isRecord(schema) ||
    !/web|internet|google|bing|wiki|knowledge|retriev|^(?:search|look_?up|browse|query)$/i.test(
      tool.name,
    )
  )
    return false
  const required = requiredOf(schema)
  return (
    required.length === 1 &&
    /^(?:q|query|question|search|search_query|keywords?|term|text|topic|input)$/i.test(
      required[0] ?? '',
    )
  )
}

function callsOf(tool: EngineTool, clues: Clues): PlannedCall[] {
  if (tool.kind === 'custom') return [{ tool, input: customInput(tool, clues), unsaid: [] }]
  const split = splitProperty(tool.parameters, clues)
  if (split === undefined) return single(tool, clues)
  const calls = split.values.flatMap((_, index) => {
    const own = clauseOf(clues, split.spans, index)
    const made = createInstance(tool.parameters, own)
    return made === undefined ? [] : [callWith(tool, made)]
  })
  return calls.length > 0 ? calls : single(tool, clues)
}

function callWith(tool: EngineTool, { value, unsaid }: Instance): PlannedCall {
  return { tool, input: JSON.stringify(value), unsaid }
}

function single(tool: EngineTool, clues: Clues): PlannedCall[] {
  const made = createInstance(tool.parameters, clues)
  return made === undefined ? [] : [callWith(tool, made)]
}

interface Split {
  readonly name: string
  readonly values: readonly string[]
  readonly spans: readonly Span[]
}

const placeLabel = /\b(?:location|city|place|country|town|address|region|area)\b/
const nameLabel =
  /\b(?:name|person|user|recipient|contact|company|ticker|symbol|stock|to|email|who|guest|player|team)\b/

/** The one property that the text names several values for: "the weather in Paris and in Rome". */
function splitProperty(parameters: JsonSchema, clues: Clues): Split | undefined {
  const resolved = resolveReferences(parameters, parameters)
  if (!isRecord(resolved)) return undefined
  const schema = merged(resolved, parameters)
  const required = new Set(requiredOf(schema))
  const labels = propertiesOf(schema).map(([name, raw]) => ({
    name,
    raw,
    property: describeProperty(name, raw, required.has(name)),
  }))
  const placed = labels.filter(({ property }) => placeLabel.test(property.label)).length
  for (const { name, raw, property } of labels) {
    const own = resolveReferences(raw, parameters)
    if (!property.required || !isRecord(own) || own['type'] === 'array') continue
    const spans = spansFor({ label: property.label, own, clues, placed })
    if (spans.length > 1 && spans.length <= callsMax && isRow(clues.text, spans))
      return { name, values: spans.map((span) => span.text), spans }
  }
  return undefined
}

function spansFor({
  label,
  own,
  clues,
  placed,
}: {
  readonly label: string
  readonly own: Readonly<Record<string, unknown>>
  readonly clues: Clues
  readonly placed: number
}): readonly Span[] {
  if (Array.isArray(own['enum'])) {
    const values = mentionedValues(own['enum'], clues, describeProperty('', true, true)).filter(
      (value) => typeof value === 'string',
    )
    return values.flatMap((value) => {
      const start = clues.text.toLowerCase().indexOf(value.toLowerCase())
      return start < 0 ? [] : [{ text: value, start, end: start + value.length }]
    })
  }
  if (own['type'] !== undefined && own['type'] !== 'string') return []
  if (/^(?:to|recipient|email|e ?mail)\b/.test(label) && clues.emails.length > 1)
    return clues.emails
  if (placeLabel.test(label) && placed === 1) return placesOf(clues)
  if (nameLabel.test(label) && textIn(own, 'format') === undefined) return clues.names
  return []
}

/** The values stand in a row: nothing but "and", "or", commas and small words between them. */
function isRow(text: string, spans: readonly Span[]): boolean {
  return spans.slice(1).every((span, index) => {
    const before = spans[index]
    const between = before === undefined ? '' : text.slice(before.end, span.start)
    return (
      /^[\s,;&]*(?:(?:and|or|also|then|as well as|plus|what about|how about|versus|vs\.?|in|for|at|of|to|the)[\s,]+)*$/i.test(
        between,
      ) && /,|\band\b|\bor\b|&|\bplus\b|\bvs|\bversus|;/i.test(between)
    )
  })
}

/** What stands around one value and not around the others, with the opening of the sentence for all of them. */
function clauseOf(clues: Clues, spans: readonly Span[], index: number): Clues {
  const own = spans[index]
  const [first, last] = [spans[0], spans.at(-1)]
  if (own === undefined || first === undefined || last === undefined) return clues
  const text = `${clues.text.slice(0, first.start)}${own.text}${clues.text.slice(last.end)}`
  return findClues(text, { now: clues.now, before: clues.before, answer: clues.answer })
}

function customInput(tool: EngineTool, clues: Clues): string {
  const fenced = /```(?:\w{1,12}\n)?([\s\S]{1,20000}?)```/.exec(clues.text)?.[1]?.trim()
  const texts = [fenced, ...wordingOf(clues), clues.text].filter((text) => text !== undefined)
  const { inputPattern } = tool
  if (inputPattern === undefined) return texts[0] ?? ''
  const tokens = texts.flatMap((text) => [text, ...text.split(/\s+/)]).slice(0, 200)
  const whole = `^(?:${inputPattern})$`
  return tokens.find((token) => matchesPattern(whole, token) === true) ?? samplePattern(whole) ?? ''
}

function distinct(calls: readonly PlannedCall[]): PlannedCall[] {
  const seen = new Set<string>()
  return calls.filter(({ tool, input }) => {
    const key = `${tool.name}\n${input}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
