import { type Answer, type Ask, answerOf, freshResults, type Turn } from '../ask/ask.ts'
import { fileAnswer } from '../files/file-steps.ts'
import { isRecord } from '../schema/json-schema.ts'
import { leavesOf, parseJsonText, spelledOut } from '../text/json-facts.ts'
import { asSentence, joined } from '../text/words.ts'
import { gatherFacts, search, termsOf } from './facts.ts'

const leavesMax = 12
const textMax = 600

/** Reports the results of tools one by one; of long results, only what the question asks for. */
export function toolResults(ask: Ask): Answer | undefined {
  const results = freshResults(ask.conversation)
  if (results.length === 0) return undefined
  const files = fileAnswer(ask)
  if (files !== undefined) return files
  const parts = results.map((result) => reported(result, ask))
  const text = parts.map(({ sentence }) => sentence).join(' ')
  const value = parts.length === 1 ? parts[0]?.value : undefined
  return answerOf('tool-results', [text], value)
}

interface Reported {
  readonly sentence: string
  readonly value?: string | undefined
}

function reported(result: Turn, ask: Ask): Reported {
  const name = result.answers?.name ?? 'The tool'
  const text = result.text.trim()
  if (text === '') return { sentence: `${name} returned nothing.` }
  const about = argumentsOf(result)
  const json = parseJsonText(text)
  const failure = errorIn(json)
  if (failure !== undefined) return { sentence: `${name} reports an error: ${asSentence(failure)}` }
  const all = leavesOf(json ?? text).filter((leaf) => leaf.value !== '')
  // The arguments are already in the sentence: "For Paris: …" need not repeat the city.
  const news = all.filter((leaf) => !about.includes(leaf.value))
  const leaves = news.length > 0 ? news : all
  const [first] = leaves
  if (first === undefined) return { sentence: `${name} returned an empty result.` }
  const isLong = json === undefined ? text.length > textMax : leaves.length > leavesMax
  const reported = isLong
    ? relevant(result, ask)
    : leaves.map(({ path, value }) => `${path.map(spelledOut).join(' ')} ${value}`.trim())
  const list = json === undefined ? reported.join(' ') : joined(reported)
  const isValue = leaves.length === 1 && list.split(/\s+/).length <= 3
  const isBare = about.length === 0 || (json === undefined && !isValue)
  const ended = /[.!?]$/.test(list) ? list : `${list}.`
  return {
    sentence: isBare ? asSentence(list) : `For ${about.join(', ')}: ${ended}`,
    value: isValue ? first.value : undefined,
  }
}

/** The arguments that name the subject of the result: short texts and numbers. */
function argumentsOf({ answers }: Turn): readonly string[] {
  return leavesOf(parseJsonText(answers?.input ?? '') ?? {})
    .map((leaf) => leaf.value)
    .filter((value) => value.length <= 40 && value !== '' && !/^(?:true|false|none)$/.test(value))
    .slice(0, 3)
}

function errorIn(json: unknown): string | undefined {
  const error = isRecord(json) ? json['error'] : undefined
  const message = isRecord(error) ? error['message'] : error
  return typeof message === 'string' && message !== '' ? message : undefined
}

function relevant(result: Turn, ask: Ask): string[] {
  const facts = gatherFacts(ask, [{ origin: 'tool', text: result.text, current: true }])
  const matches = search(facts, termsOf(ask.instruction))
  const best = matches.length > 0 ? matches.map((match) => match.fact) : facts
  return best.slice(0, matches.length > 0 ? 3 : 5).map((fact) => fact.text)
}
