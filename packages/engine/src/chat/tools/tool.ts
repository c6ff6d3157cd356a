import type { ChatRequest } from '@sluice/contract'
import { linesIn } from '../../word-lists.ts'
import { findExpression } from '../math/expression.ts'
import {
  asSchema,
  isRecord,
  type JsonSchema,
  plainSchema,
  propertiesOf,
  requiredOf,
  textIn,
} from '../schema/json-schema.ts'
import { spelledOut } from '../text/json-facts.ts'
import { contentStems, rootOf, wordsOf } from '../text/words.ts'

/** A tool in the engine's form, however the request declared it. */
export interface EngineTool {
  readonly kind: 'function' | 'custom'
  readonly name: string
  readonly description: string
  /** Schema of the arguments; true for custom tools. */
  readonly parameters: JsonSchema
  /** A regular expression that a custom tool's input must match. */
  readonly inputPattern?: string
}

/** Whether a tool must, may or must not be called. */
export interface ToolUse {
  readonly mode: 'none' | 'auto' | 'required'
  readonly tools: readonly EngineTool[]
  readonly parallel: boolean
}

/** What a request says about tools: which ones may be called, and whether one must be. */
export function toolUseOf(request: ChatRequest): ToolUse {
  const parallel = request.parallel_tool_calls !== false
  const tools = (request.tools ?? []).flatMap((tool) => readTool(tool) ?? [])
  const choice = request.tool_choice ?? 'auto'
  if (tools.length === 0 || choice === 'none') return { parallel, mode: 'none', tools }
  if (typeof choice === 'string') return { parallel, mode: choice, tools }
  const allowed = choice.type === 'allowed_tools' ? choice.allowed_tools : undefined
  const names = allowed?.tools?.map(nameIn) ?? [
    choice.type === 'allowed_tools' ? undefined : choice[choice.type]?.name,
  ]
  const kept = tools.filter((tool) => names.includes(tool.name))
  if (choice.type === 'allowed_tools')
    return { parallel, mode: kept.length === 0 ? 'none' : (allowed?.mode ?? 'auto'), tools: kept }
  return kept.length === 0
    ? { parallel, mode: 'auto', tools }
    : { parallel, mode: 'required', tools: kept }
}

function nameIn(tool: unknown): string | undefined {
  if (!isRecord(tool)) return undefined
  const inner = tool['function'] ?? tool['custom'] ?? tool
  return isRecord(inner) ? textIn(inner, 'name') : undefined
}

function readTool(tool: NonNullable<ChatRequest['tools']>[number]): EngineTool | undefined {
  const declared: unknown = tool.type === 'function' ? tool.function : tool.custom
  const name = isRecord(declared) ? textIn(declared, 'name') : undefined
  if (!isRecord(declared) || name === undefined) return undefined
  const description = textIn(declared, 'description') ?? ''
  if (tool.type === 'function') {
    const parameters = asSchema(declared['parameters'] ?? { type: 'object', properties: {} })
    return { kind: 'function', name, description, parameters }
  }
  // A custom tool's format may contain a grammar; only regular expressions are respected.
  const format = isRecord(declared['format']) ? declared['format'] : {}
  const grammar = isRecord(format['grammar']) ? format['grammar'] : format
  const pattern = grammar['syntax'] === 'regex' ? textIn(grammar, 'definition') : undefined
  const custom = { kind: 'custom', name, description, parameters: true } as const
  return pattern === undefined ? custom : { ...custom, inputPattern: pattern }
}

/** Maps the stem of a word to the stem of the first word of its family, so that all of them count as one. */
const meanings = new Map<string, string>()
for (const words of linesIn('families')) {
  const stems = words.split(' ').map(rootOf)
  for (const stem of stems) if (!meanings.has(stem)) meanings.set(stem, stems[0] ?? stem)
}

function meaningsOf(text: string): ReadonlySet<string> {
  return new Set(contentStems(text).map((stem) => meanings.get(stem) ?? stem))
}

/** Words of tools that say little by themselves. */
const general = meaningsOf(linesIn('general').join(' '))
/** Words that a tool's name may contain and a request need not, since they change nothing. */
const harmless = meaningsOf(linesIn('harmless').join(' '))

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
