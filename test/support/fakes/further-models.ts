/** Scripted models behind upstreams that speak Responses, Converse, Cohere's or Mistral's chat, or that serve an open model. */
import { listOf } from '../../../packages/contract/src/wire/reading.ts'
import { brokenConverseRule } from './bedrock-rules.ts'
import { answerConverse } from './bedrock-wire.ts'
import { brokenCohereRule } from './cohere-rules.ts'
import { answerCohere } from './cohere-wire.ts'
import { type Answering, json } from './fake-upstream.ts'
import { brokenMistralRule } from './mistral-rules.ts'
import { brokenOllamaRule } from './ollama-rules.ts'
import { answerCompletion, type Said } from './openai-wire.ts'
import { brokenResponsesRule } from './responses-rules.ts'
import {
  answerResponse,
  callItem,
  customCallItem,
  messageItem,
  reasoningItem,
} from './responses-wire.ts'
import { type Fields, idOf, namesIn, type Script } from './scripted-models.ts'
import { brokenOpenModelRule } from './vllm-rules.ts'

const functionsOf = (tools: unknown) =>
  listOf(tools).map((tool) => (tool as { readonly function?: unknown }).function)

/** The output of a script, with ids that start with `prefix`. */
function said(
  script: Script,
  rounds: number,
  { offered, prefix }: { offered: readonly string[]; prefix: string },
): Said {
  const { text, calls } = script(rounds, offered)
  return {
    ...(text !== undefined && { text }),
    ...(calls && {
      calls: calls.map(([name, input], index) => [idOf(prefix, rounds, index), name, input]),
    }),
  }
}

const refuse = (response: Parameters<Answering>[1], body: object) =>
  json(response, body, { status: 400 })

export function responsesModel(script: Script): Answering {
  const issued = new Set<string>()
  return (seen, response) => {
    if (!seen.path.endsWith('/responses'))
      return json(response, { error: { message: 'Not Found' } }, { status: 404 })
    const broken = brokenResponsesRule(seen.body, issued)
    if (broken !== undefined)
      return refuse(response, {
        error: { message: broken, type: 'invalid_request_error', param: null, code: null },
      })
    const tools = listOf(seen.body['tools']) as readonly Fields[]
    const rounds = turnsIn(listOf(seen.body['input']) as readonly Fields[])
    const { thinking, text, calls = [] } = script(rounds, namesIn(tools))
    const reasons = thinking !== undefined && seen.body['reasoning'] !== undefined
    const encrypted = `gAAAAAB${Buffer.from(`${issued.size}:${thinking}`).toString('base64url')}`
    if (reasons) issued.add(encrypted)
    const custom = new Set(namesIn(tools.filter(({ type }) => type === 'custom')))
    return answerResponse(seen, response, [
      ...(reasons ? [reasoningItem(thinking, encrypted)] : []),
      ...(text === undefined ? [] : [messageItem(text)]),
      ...calls.map(([name, input], index) =>
        (custom.has(name) ? customCallItem : callItem)(idOf('call_', rounds, index), name, input),
      ),
    ])
  }
}

/** The number of times that outputs were sent; the outputs of parallel calls count once. */
function turnsIn(input: readonly Fields[]): number {
  const isOutput = (item: Fields | undefined) => String(item?.['type']).endsWith('_output')
  return input.filter((item, at) => isOutput(item) && !isOutput(input[at - 1])).length
}

export function converseModel(script: Script): Answering {
  return (seen, response) => {
    const broken = brokenConverseRule(seen.body)
    if (broken !== undefined) return refuse(response, { message: broken })
    const { tools } = (seen.body['toolConfig'] ?? {}) as Fields
    const offered = namesIn(
      listOf(tools)
        .map((tool) => (tool as Fields)['toolSpec'])
        .filter(Boolean),
    )
    const rounds = (seen.body['messages'] as readonly { content: readonly Fields[] }[]).filter(
      ({ content }) => content.some((block) => 'toolResult' in block),
    ).length
    return answerConverse(seen, response, said(script, rounds, { offered, prefix: 'tooluse_' }))
  }
}

const callRounds = ({ messages }: Fields): number =>
  (messages as readonly Fields[]).filter(({ tool_calls: calls }) => calls !== undefined).length

export function cohereModel(script: Script): Answering {
  return (seen, response) => {
    const broken = brokenCohereRule(seen.body)
    if (broken !== undefined) return refuse(response, { id: 'up', message: broken })
    const offered = namesIn(functionsOf(seen.body['tools']))
    return answerCohere(
      seen,
      response,
      said(script, callRounds(seen.body), { offered, prefix: '' }),
    )
  }
}

/** One that has chat completions, refuses by its own rule and in its own words, and gives calls ids of its own form. */
interface ChatServer {
  readonly brokenRule: (body: Fields) => string | undefined
  readonly errorOf: (message: string) => object
  /** What it says at other addresses. */
  readonly missing: unknown
  /** The id of a call; random ones differ from each other as these do. */
  readonly ownId: (round: number, index: number) => string
}

const chatModel =
  ({ brokenRule, errorOf, missing, ownId }: ChatServer) =>
  (script: Script): Answering =>
  (seen, response) => {
    if (!seen.path.endsWith('/chat/completions')) return json(response, missing, { status: 404 })
    const broken = brokenRule(seen.body)
    if (broken !== undefined) return refuse(response, errorOf(broken))
    const rounds = callRounds(seen.body)
    const { text, calls } = script(rounds, namesIn(functionsOf(seen.body['tools'])))
    return answerCompletion(seen, response, {
      ...(text !== undefined && { text }),
      ...(calls && {
        calls: calls.map(([name, input], index) => [ownId(rounds, index), name, input]),
      }),
    })
  }

export const openModel = chatModel({
  brokenRule: brokenOpenModelRule,
  errorOf: (message) => ({ error: { message, type: 'BadRequestError', param: null, code: 400 } }),
  missing: { detail: 'Not Found' },
  ownId: (round, index) => idOf('chatcmpl-tool-', round, index),
})

export const mistralModel = chatModel({
  brokenRule: brokenMistralRule,
  errorOf: (message) => ({
    object: 'error',
    message,
    type: 'invalid_request_error',
    param: null,
    code: '3051',
  }),
  missing: { message: 'no Route matched with those values' },
  ownId: (round, index) => `D681PevK${round * 3 + index}`,
})

export const ollamaModel = chatModel({
  brokenRule: brokenOllamaRule,
  errorOf: (message) => ({
    error: { message, type: 'invalid_request_error', param: null, code: null },
  }),
  missing: '404 page not found',
  ownId: (round, index) => `call_${String(round * 3 + index).padStart(8, 'x')}`,
})
