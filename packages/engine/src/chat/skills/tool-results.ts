import type { Answer, Ask, Skill } from '../ask/ask.ts'
import { freshResults, type Turn } from '../ask/conversation.ts'
import { gatherFacts } from '../qa/facts.ts'
import { analyseQuestion } from '../qa/question.ts'
import { search } from '../qa/search.ts'
import { leavesOf, parseJsonText, spelledOut } from '../text/json-facts.ts'
import { sentencesOf } from '../text/sentences.ts'
import { asSentence, joined } from '../text/words.ts'

const leavesMax = 12
const textMax = 600

/** Tells what the tools found, result by result; from long results what the question asks for. */
export const toolResults: Skill = {
  name: 'tool-results',
  async answer(ask) {
    const results = freshResults(ask.conversation)
    if (results.length === 0) return undefined
    const parts: Reported[] = []
    for (const result of results) parts.push(await reported(result, ask))
    const sentences = parts.map((part) => part.sentence)
    const named = parts.map((part) => part.named)
    const values = parts.flatMap((part) => (part.value === undefined ? [] : [part.value]))
    return {
      skill: 'tool-results',
      phrasings: [...new Set([sentences.join(' '), named.join(' ')])],
      ...(values.length === 1 && values[0] !== undefined ? { value: values[0] } : {}),
      evidence: results.map((result) => result.text.slice(0, 200)),
    } satisfies Answer
  },
}

interface Reported {
  readonly sentence: string
  /** The same with the name of the tool. */
  readonly named: string
  readonly value?: string
}

async function reported(result: Turn, ask: Ask): Promise<Reported> {
  const name = result.answers?.name ?? 'The tool'
  const about = argumentsOf(result)
  const text = result.text.trim()
  if (text === '') return both(`${name} returned nothing.`)
  const json = parseJsonText(text)
  if (json === undefined) return plainText(text, { name, about }, result, ask)
  const failure = errorIn(json)
  if (failure !== undefined) return both(`${name} reports an error: ${asSentence(failure)}`)
  const all = leavesOf(json).filter((leaf) => leaf.value !== '')
  // What was asked with is said already: "For Paris: …" needs no city.
  const news = all.filter((leaf) => !about.split(', ').includes(leaf.value))
  const leaves = news.length > 0 ? news : all
  if (leaves.length === 0) return both(`${name} returned an empty result.`)
  const told =
    leaves.length <= leavesMax
      ? leaves.map(({ path, value }) => `${path.map(spelledOut).join(' ')} ${value}`.trim())
      : await relevant(result, ask)
  const list = joined(told)
  const only = leaves.length === 1 ? leaves[0]?.value : undefined
  return {
    sentence: about === '' ? asSentence(list) : `For ${about}: ${asLowerSentence(list)}`,
    named: `${name}${about === '' ? '' : ` (${about})`}: ${asLowerSentence(list)}`,
    ...(only === undefined ? {} : { value: only }),
  }
}

function both(sentence: string): Reported {
  return { sentence, named: sentence }
}

function asLowerSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

async function plainText(
  text: string,
  { name, about }: { readonly name: string; readonly about: string },
  result: Turn,
  ask: Ask,
): Promise<Reported> {
  const told = text.length <= textMax ? text : (await relevant(result, ask)).join(' ')
  const bare = told.split(/\s+/).length <= 3
  const sentence =
    bare && about !== '' ? `For ${about}: ${asLowerSentence(told)}` : asSentence(told)
  return {
    sentence,
    named: `${name}${about === '' ? '' : ` (${about})`}: ${asLowerSentence(told)}`,
    ...(bare ? { value: told } : {}),
  }
}

/** The arguments that name what the result is about: short texts and numbers. */
function argumentsOf({ answers }: Turn): string {
  const parsed = answers === undefined ? undefined : parseJsonText(answers.input)
  if (parsed === undefined) return ''
  return leavesOf(parsed)
    .map((leaf) => leaf.value)
    .filter((value) => value.length <= 40 && value !== '' && !/^(?:true|false|none)$/.test(value))
    .slice(0, 3)
    .join(', ')
}

function errorIn(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json) || !('error' in json))
    return undefined
  const { error } = json
  if (typeof error === 'string' && error !== '') return error
  if (
    typeof error === 'object' &&
    error !== null &&
    'message' in error &&
    typeof error.message === 'string'
  )
    return error.message
  return undefined
}

async function relevant(result: Turn, ask: Ask): Promise<string[]> {
  const source = { origin: 'tool', text: result.text, current: true } as const
  const facts = await gatherFacts(ask, [source])
  const matches = await search(facts, analyseQuestion(ask.instruction), ask)
  const best = matches.slice(0, 3).map((match) => match.fact.text)
  return best.length > 0 ? best : sentencesOf(facts.map((fact) => fact.text).join('\n')).slice(0, 5)
}
