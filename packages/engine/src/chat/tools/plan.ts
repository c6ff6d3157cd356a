import { asksAbout, withoutWithheld } from '../ask/split-request.ts'
import { rolesOf } from '../files/file-tools.ts'
import { type Clues, findClues } from '../schema/clues.ts'
import { mentionedValues } from '../schema/fill-choice.ts'
import { describeProperty } from '../schema/fill-context.ts'
import { createInstance } from '../schema/instance.ts'
import { isRecord, plainSchema, propertiesOf, requiredOf, typesOf } from '../schema/json-schema.ts'
import { kinds } from '../schema/kinds.ts'
import { matchesPattern, samplePattern } from '../schema/pattern.ts'
import { wordingOf } from '../schema/phrases.ts'
import { spelledOut } from '../text/json-facts.ts'
import { sentencesOf } from '../text/sentences.ts'
import type { Span } from '../text/spans.ts'
import { contentStems } from '../text/words.ts'
import {
  type EngineTool,
  isCalculator,
  isNamed,
  type Profile,
  profileOf,
  speaksOf,
  suit,
  suitMin,
  type ToolUse,
} from './tool.ts'

/** A call to make. */
export interface PlannedCall {
  readonly tool: EngineTool
  /** JSON text of the arguments, or the text for a custom tool. */
  readonly input: string
  /** Required arguments for which the request gives no value. */
  readonly unsaid: readonly string[]
}

interface PlanOptions {
  readonly clues: Clues
  /** Whether the request needs information that the engine itself does not have. */
  readonly needsLookup: boolean
  /** Whether the engine itself computed what the request asks for. */
  readonly isAnswered: boolean
  /** Whether the system text demands a call of the only tool. */
  readonly isDemanded: boolean
}

const callsMax = 32

/** The calls that a request asks for, in order; empty if it asks for none and none is required. */
export function planCalls(use: ToolUse, given: PlanOptions): PlannedCall[] {
  const offered = use.tools.map(profileOf)
  const isBound = use.mode === 'required'
  const { options, profiles: all } = isBound
    ? { options: given, profiles: offered }
    : withoutForbidden(given, offered)
  const { text } = options.clues
  const isFree = (profile: Profile): boolean =>
    (isNamed(text, profile.tool.name) ||
      (!spawns(profile.tool) && rolesOf(profile.tool).length === 0)) &&
    !isOnlyAskedAbout(text, profile, all)
  const profiles = isBound ? all : all.filter(isFree)
  const named = profiles.filter(({ tool }) => isNamed(text, tool.name))
  const asked = named.length > 0 ? namedCalls(named, options) : askedCalls(profiles, options)
  const calls = asked.length > 0 ? asked : wholeCalls(profiles, use, options)
  // Calls whose required arguments would be guesses are dropped, unless the request requires a call.
  const meant = use.mode === 'required' ? calls : calls.filter(({ unsaid }) => unsaid.length === 0)
  const distinct = new Map(meant.map((call) => [`${call.tool.name}\n${call.input}`, call]))
  return [...distinct.values()].slice(0, callsMax)
}

/** The request without the calls that it forbids, and the remaining tools. */
function withoutForbidden(
  options: PlanOptions,
  all: readonly Profile[],
): { readonly options: PlanOptions; readonly profiles: readonly Profile[] } {
  const { text } = options.clues
  const forbidden = new Set<Profile>()
  const about = new Set<Profile>()
  const isCall = (part: string): boolean => {
    for (const profile of all)
      if (isNamed(part, profile.tool.name)) forbidden.add(profile)
      else if (suit(part, profile, all) >= suitMin || speaksOf(part, profile)) about.add(profile)
    return forbidden.size + about.size > 0
  }
  const rest = withoutWithheld(text, isCall)
  for (const profile of about) if (suit(rest, profile, all) < suitMin) forbidden.add(profile)
  const profiles = all.filter((profile) => !forbidden.has(profile))
  if (rest === text) return { options, profiles }
  return { options: { ...options, clues: findClues(rest, options.clues) }, profiles }
}

const acts =
  /\b(?:add|approve|assign|book|buy|cancel|clear|close|commit|create|delete|deploy|drop|edit|email|exec|execute|insert|invite|kill|lock|make|merge|message|move|notify|open|order|pay|post|publish|purchase|push|remove|rename|reply|reserve|reset|restart|run|schedule|send|set|start|stop|submit|switch|transfer|turn|unlock|update|upload|write)\b/i

function isActing({ name }: EngineTool): boolean {
  return acts.test(spelledOut(name))
}

/** Arguments that only repeat the tool's name: "book a table" names no restaurant. */
function echoesIn(value: unknown, tool: EngineTool, { quoted }: Clues): readonly string[] {
  if (!isActing(tool) || !isRecord(value)) return []
  const stems = new Set(contentStems(spelledOut(tool.name)))
  return Object.entries(value).flatMap(([name, text]) =>
    typeof text === 'string' &&
    !quoted.some((span) => span.text === text) &&
    contentStems(text).some((stem) => stems.has(stem))
      ? [name]
      : [],
  )
}

/** Whether the request only asks how or whether to do what the tool would do. */
function isOnlyAskedAbout(text: string, profile: Profile, all: readonly Profile[]): boolean {
  if (!isActing(profile.tool)) return false
  const sentences = sentencesOf(text)
  const own = sentences.filter((sentence) => suit(sentence, profile, all) >= suitMin)
  return (own.length > 0 ? own : sentences).every(asksAbout)
}

/** Tools that start another agent may cost without limit, so they are called only by name. */
function spawns({ name, parameters }: EngineTool): boolean {
  const words = spelledOut(name)
    .toLowerCase()
    .split(/[^a-z]+/)
  return (
    /\b(?:sub)?agents?\b|\bspawn\b|\bdelegate\b|\bteam(?:mate)?s?\b|\bworkflow\b|\bskill\b|^(?:new )?task$/.test(
      words.join(' '),
    ) ||
    propertiesOf(plainSchema(parameters, parameters)).some(([key]) => /^(?:sub)?agent/i.test(key))
  )
}

/** One call for each tool that is called by name, with the rest of the request as its clues. */
function namedCalls(named: readonly Profile[], { clues }: PlanOptions): PlannedCall[] {
  const { text } = clues
  const holdsName = (part: string): boolean => named.some(({ tool }) => isNamed(part, tool.name))
  const about = sentencesOf(text).filter((sentence) => !holdsName(sentence))
  const places = named
    .map(({ tool }) => ({ tool, start: text.toLowerCase().indexOf(tool.name.toLowerCase()) }))
    .sort((left, right) => left.start - right.start)
  return places.flatMap(({ tool, start }, index) => {
    const own = text.slice(start + tool.name.length, places[index + 1]?.start)
    const bare = places.reduce((rest, place) => rest.replaceAll(place.tool.name, ' '), text)
    const tries = [about.join(' '), own, bare].map((part) => callsOf(tool, findClues(part, clues)))
    const said = tries.find(
      (calls) => calls.length > 0 && calls.every(({ unsaid }) => unsaid.length === 0),
    )
    return said ?? tries.at(-1) ?? []
  })
}

/** One tool per clause. A clause that asks for no tool belongs to the one before it. */
function askedCalls(profiles: readonly Profile[], { clues }: PlanOptions): PlannedCall[] {
  const parts: { readonly profile: Profile; text: string }[] = []
  let lead = ''
  for (const clause of clausesOf(clues.text)) {
    const [best] = ranking(clause, profiles)
    const last = parts.at(-1)
    if (best !== undefined && best.score >= suitMin) {
      parts.push({ profile: best.profile, text: `${lead}${clause}` })
      lead = ''
    } else if (last !== undefined) last.text += `. ${clause}`
    else lead += `${clause}. `
  }
  if (parts.length < 2) return []
  return parts.flatMap(({ profile, text }) => callsOf(profile.tool, findClues(text, clues)))
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
  { mode }: ToolUse,
  { clues, needsLookup, isAnswered, isDemanded }: PlanOptions,
): PlannedCall[] {
  const ranked = ranking(clues.text, profiles)
  const [best] = ranked
  if (best === undefined) return []
  const { profile, score } = best
  // If the engine computed the answer itself, a tool is needed only if the request mentions it.
  const isDone = isAnswered && !isCalculator(profile.tool) && !speaksOf(clues.text, profile)
  if (mode !== 'required') {
    const lookup = needsLookup ? profiles.find(({ tool }) => isLookup(tool)) : undefined
    const chosen = score >= suitMin ? profile : (lookup ?? (isDemanded ? profile : undefined))
    return chosen === undefined || isDone ? [] : callsOf(chosen.tool, clues)
  }
  // If no instance is valid against one tool's schema, another tool's schema may have one.
  for (const { profile: each } of ranked) {
    const calls = callsOf(each.tool, clues)
    if (calls.length > 0) return calls
  }
  return []
}

/** A search with one free text parameter. */
function isLookup({ name, parameters }: EngineTool): boolean {
  const [only, ...others] = requiredOf(plainSchema(parameters, parameters))
  return (
    /web|internet|google|bing|wiki|knowledge|retriev|^(?:search|look_?up|browse|query)$/i.test(
      name,
    ) &&
    others.length === 0 &&
    /^(?:q|query|question|search|search_query|keywords?|term|text|topic|input)$/i.test(only ?? '')
  )
}

/** One call, or one for each of several values: "the weather in Paris and in Rome". */
function callsOf(tool: EngineTool, clues: Clues): PlannedCall[] {
  if (tool.kind === 'custom') return [{ tool, input: customInput(tool, clues), unsaid: [] }]
  const callFor = (own: Clues): PlannedCall[] => {
    const made = createInstance(tool.parameters, own, isActing(tool))
    if (made === undefined) return []
    const unsaid = [...made.unsaid, ...echoesIn(made.value, tool, own)]
    return [{ tool, input: JSON.stringify(made.value), unsaid }]
  }
  const row = rowOf(tool, clues)
  const [first, last] = [row[0], row.at(-1)]
  if (first === undefined || last === undefined) return callFor(clues)
  const { text } = clues
  const calls = row.flatMap((value) => {
    // The text around the list of values applies to each of them.
    const own = `${text.slice(0, first.start)}${value.text}${text.slice(last.end)}`
    return callFor(findClues(own, clues))
  })
  return calls.length > 0 ? calls : callFor(clues)
}

/** The list of values in the text for the one required property of their kind; empty if there is none. */
function rowOf({ parameters }: EngineTool, clues: Clues): readonly Span[] {
  const schema = plainSchema(parameters, parameters)
  const places = requiredOf(schema).flatMap((name) => {
    const raw = propertiesOf(schema).find(([own]) => own === name)?.[1] ?? true
    const property = describeProperty(name, raw, true)
    const kind = kinds.find(({ label }) => label.test(property.label))
    return [{ own: plainSchema(raw, parameters), property, kind }]
  })
  for (const { own, property, kind } of places) {
    const [type = 'string'] = typesOf(own)
    const isAlone = places.filter((other) => other.kind === kind).length === 1
    const values = Array.isArray(own['enum'])
      ? mentionedValues(own['enum'], clues, describeProperty('', true, true))
      : type === 'string' && kind?.many && isAlone
        ? kind.find(clues, property)
        : []
    const row = [...new Set(values)].flatMap((value) => {
      const text = typeof value === 'string' ? value : ''
      const start = clues.text.toLowerCase().indexOf(text.toLowerCase())
      return text === '' || start < 0 ? [] : [{ text, start, end: start + text.length }]
    })
    if (row.length > 1 && row.length <= callsMax && isRow(clues.text, row)) return row
  }
  return []
}

const joining =
  /^[\s,;&]*(?:(?:and|or|also|then|as well as|plus|what about|how about|versus|vs\.?|in|for|at|of|to|the)[\s,]+)*$/i

/** Whether there are only "and", "or", commas and small words between the values. */
function isRow(text: string, spans: readonly Span[]): boolean {
  return spans.slice(1).every(({ start }, index) => {
    const between = text.slice(spans[index]?.end, start)
    return joining.test(between) && /,|\band\b|\bor\b|&|\bplus\b|\bvs|\bversus|;/i.test(between)
  })
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

const verbs =
  'get|set|find|search|look|list|create|make|fetch|read|show|check|update|send|email|text|call|book|reserve|schedule|remind|translate|convert|calculate|compute|play|turn|add|delete|remove|cancel|order|buy|open|close|start|stop|tell|give|what|who|where|when|how|is|multiply|divide|subtract|sum|post|write|save|summarize|count'
const boundary = new RegExp(
  String.raw`(?:,|;)? ?\b(?:and then|then|and also|also|after that|and) (?=(?:please |also )?(?:${verbs})\b)|; `,
  'gi',
)

/** The requests within a request: its sentences, and the parts of a sentence that begin with their own verb. */
function clausesOf(text: string): string[] {
  return sentencesOf(text)
    .flatMap((sentence) => sentence.split(boundary))
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '')
    .slice(0, 50)
}
