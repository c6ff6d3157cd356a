/**
 * Models that follow a script, behind upstreams of three makers. Each refuses with status 400 what its maker refuses, so a
 * conversation that reaches its end has kept every rule.
 */
import { parseJson } from '../../../packages/contract/src/wire/json.ts'
import { listOf } from '../../../packages/contract/src/wire/reading.ts'
import { brokenMessagesRule } from './anthropic-rules.ts'
import {
  answerMessage,
  anthropicMessage,
  refuseMessage,
  textBlock,
  thinkingBlock,
  toolUse,
} from './anthropic-wire.ts'
import type { Answering } from './fake-upstream.ts'
import { json } from './fake-upstream.ts'
import { brokenContentRule, type IssuedCall } from './gemini-rules.ts'
import { answerContent, type GeminiPart, refuseContent } from './gemini-wire.ts'
import { brokenChatRule } from './openai-rules.ts'
import { answerCompletion, refuseCompletion } from './openai-wire.ts'

/** The model's output at one point of the conversation. */
export interface Line {
  readonly thinking?: string
  readonly text?: string
  /** Names and arguments as JSON text; the plain input for a custom tool. */
  readonly calls?: readonly (readonly [name: string, input: string])[]
}

/** `rounds`: how many times the model's calls have been answered so far. `offered`: the names of its tools. */
export type Script = (rounds: number, offered: readonly string[]) => Line

export type Fields = Readonly<Record<string, unknown>>

/** Real ids are random, unique and 24 to 30 characters long. */
export const idOf = (prefix: string, round: number, index: number) =>
  `${prefix}${String(round).padStart(4, '0')}T1WLsSVp5hy5Q3Gm${index}`

export function namesIn(tools: unknown): readonly string[] {
  return listOf(tools).map((tool) => String((tool as Fields)['name']))
}

function anthropicModel(script: Script): Answering {
  const issued = new Map<string, string>()
  return (seen, response) => {
    if (seen.path.startsWith('/v1/messages/count_tokens'))
      return json(response, { input_tokens: 2095 })
    if (!seen.path.startsWith('/v1/messages')) return refuseMessage(response, 'Not found', 404)
    const body = parseJson(seen.text) as Fields
    const betas = (seen.headers['anthropic-beta'] ?? '').split(/,\s*/)
    const broken = brokenMessagesRule(body, issued, betas)
    if (broken !== undefined) return refuseMessage(response, broken)
    const { thinking, text, calls = [] } = script(roundsAtAnthropic(body), namesIn(body['tools']))
    const mode = (body['thinking'] as Fields | undefined)?.['type'] ?? 'disabled'
    const signature = `ErUBCkYIBxgCIkD${Buffer.from(`${issued.size}:${thinking}`).toString('base64')}`
    const thinks = thinking !== undefined && mode !== 'disabled'
    if (thinks) issued.set(signature, thinking)
    return answerMessage(
      seen,
      response,
      anthropicMessage([
        ...(thinks ? [thinkingBlock(thinking, signature)] : []),
        ...(text === undefined ? [] : [textBlock(text)]),
        ...calls.map(([name, input], index) =>
          toolUse(idOf('toolu_01', roundsAtAnthropic(body), index), name, parseJson(input)),
        ),
      ]),
    )
  }
}

function roundsAtAnthropic({ messages }: Fields): number {
  return (messages as readonly Fields[]).filter(
    ({ content }) =>
      Array.isArray(content) && content.some((block: Fields) => block['type'] === 'tool_result'),
  ).length
}

function geminiModel(script: Script): Answering {
  const issued = new Map<string, IssuedCall>()
  return (seen, response) => {
    const body = parseJson(seen.text) as Fields
    const broken = brokenContentRule(body, issued, seen.path)
    if (broken !== undefined) return refuseContent(response, broken)
    const rounds = (body['contents'] as readonly { parts: readonly Fields[] }[]).filter(
      ({ parts }) => parts.some((part) => 'functionResponse' in part),
    ).length
    const offered = listOf(body['tools']).flatMap((tool) =>
      namesIn((tool as Fields)['functionDeclarations']),
    )
    const { thinking, text, calls = [] } = script(rounds, offered)
    const config = (body['generationConfig'] as Fields | undefined)?.['thinkingConfig']
    const shows = (config as Fields | undefined)?.['includeThoughts'] === true
    const parts: GeminiPart[] = []
    if (thinking !== undefined && shows) parts.push({ text: thinking, thought: true })
    if (text !== undefined) parts.push({ text })
    for (const [index, [name, input]] of calls.entries()) {
      const call = { name, args: parseJson(input) }
      const signature = Buffer.from(`signature ${issued.size} of ${rounds}`).toString('base64')
      if (index === 0) issued.set(signature, call)
      parts.push({ functionCall: call, ...(index === 0 && { thoughtSignature: signature }) })
    }
    return answerContent(seen, response, parts)
  }
}

function openaiModel(script: Script): Answering {
  return (seen, response) => {
    if (!seen.path.endsWith('/chat/completions'))
      return json(response, { error: { message: 'Not Found' } }, { status: 404 })
    const broken = brokenChatRule(seen.body)
    if (broken !== undefined) return refuseCompletion(response, broken)
    const rounds = (seen.body['messages'] as readonly Fields[]).filter(
      (message) => 'tool_calls' in message,
    ).length
    const offered = namesIn(
      listOf(seen.body['tools']).map((tool) => {
        const { function: called, custom } = tool as Fields
        return called ?? custom
      }),
    )
    const { thinking, text, calls } = script(rounds, offered)
    return answerCompletion(seen, response, {
      ...(thinking !== undefined && { reasoning: thinking }),
      ...(text !== undefined && { text }),
      ...(calls && {
        calls: calls.map(([name, input], index) => [idOf('call_', rounds, index), name, input]),
      }),
    })
  }
}

export const makers = {
  anthropic: { answering: anthropicModel, model: 'claude-sonnet-4-5' },
  gemini: { answering: geminiModel, model: 'gemini-3-pro-preview' },
  openai: { answering: openaiModel, model: 'gpt-5.1' },
} as const

export type Maker = keyof typeof makers
