import {
  type ChatChunk,
  type ChatReply,
  type ChatRequest,
  isObject,
  reasoningEfforts,
} from '@sluice/contract'
import type { Reports } from '../../native-target.ts'
import type { ChatCompletionRequest } from './schema.ts'

type Given = Pick<
  ChatCompletionRequest,
  'reasoning' | 'thinking' | 'reasoning_effort' | 'thinking_budget'
>
type Amount = Pick<ChatRequest, 'reasoning_effort' | 'thinking_budget'>
type Written = Readonly<Record<keyof Amount, string | undefined>>

/** What an object says, and where the caller wrote it. */
interface ThinkingAmount {
  readonly amount: Amount
  readonly written: Partial<Written>
  /** Its other fields. */
  readonly others: readonly string[]
}

/**
 * Translates OpenRouter's `reasoning` (effort, max_tokens, enabled, exclude; OpenRouter docs, reasoning tokens) and
 * Anthropic's `thinking` (type, budget_tokens), which clients write in chat requests, into effort and budget. The caller's own
 * `reasoning_effort` and `thinking_budget` take precedence. What cannot be expressed is left out and reported with its path.
 */
export function amountOfThinking(request: Given, { leftOut }: Pick<Reports, 'leftOut'>): Amount {
  const amount: { -readonly [F in keyof Amount]: Amount[F] } = {}
  for (const { amount: said, written, others } of objectsIn(request)) {
    for (const path of others) leftOut(path)
    const { reasoning_effort: effort, thinking_budget: budget } = said
    if (effort !== undefined && isFree(request.reasoning_effort ?? amount.reasoning_effort, effort))
      amount.reasoning_effort = effort
    else if (effort !== undefined) leftOut(written.reasoning_effort ?? 'reasoning')
    if (budget !== undefined && isFree(request.thinking_budget ?? amount.thinking_budget, budget))
      amount.thinking_budget = budget
    else if (budget !== undefined) leftOut(written.thinking_budget ?? 'thinking')
  }
  return amount
}

function isFree(before: unknown, value: unknown): boolean {
  return before == null || before === value
}

/** Where in these objects the caller wrote an effort or a budget; undefined if nowhere. */
export function pathOfThinking(field: keyof Amount, request: Given): string | undefined {
  return objectsIn(request).find(({ amount }) => amount[field] !== undefined)?.written[field]
}

function objectsIn({ reasoning, thinking }: Given): readonly ThinkingAmount[] {
  return [
    ...(reasoning == null ? [] : [reasoningIn(reasoning)]),
    ...(thinking == null ? [] : [thinkingIn(thinking)]),
  ]
}

function reasoningIn(reasoning: unknown): ThinkingAmount {
  if (!isObject(reasoning)) return nothing('reasoning')
  const { effort, max_tokens: most, enabled, exclude, ...rest } = reasoning
  const others = Object.keys(rest)
  const known = reasoningEfforts.find((one) => one === effort)
  if (effort != null && known === undefined) others.push('effort')
  if (exclude != null && typeof exclude !== 'boolean') others.push('exclude')
  const isBudget = Number.isSafeInteger(most) && Number(most) >= 0
  if (most != null && !isBudget) others.push('max_tokens')
  if (enabled === false && known !== undefined) others.push('effort')
  if (enabled === false && isBudget) others.push('max_tokens')
  // `true` adds nothing to an effort or a budget. `false` switches thinking off, whatever else is given.
  const isSwitch = enabled === false || (enabled === true && known === undefined && !isBudget)
  const budget = isSwitch ? (enabled ? -1 : 0) : isBudget ? Number(most) : undefined
  if (enabled != null && typeof enabled !== 'boolean') others.push('enabled')
  return {
    amount: {
      ...(known === undefined || enabled === false ? {} : { reasoning_effort: known }),
      ...(budget === undefined ? {} : { thinking_budget: budget }),
    },
    written: {
      reasoning_effort: 'reasoning.effort',
      thinking_budget: isSwitch ? 'reasoning.enabled' : 'reasoning.max_tokens',
    },
    others: others.map((name) => `reasoning.${name}`),
  }
}

/** Types that leave the amount of thinking to the model: those of Claude's newest models and of Volcengine. */
const ownChoice: ReadonlySet<unknown> = new Set(['enabled', 'adaptive', 'auto'])

function thinkingIn(thinking: unknown): ThinkingAmount {
  if (!isObject(thinking)) return nothing('thinking')
  const { type, budget_tokens: tokens, ...rest } = thinking
  const others = Object.keys(rest)
  const isBudget = Number.isSafeInteger(tokens) && Number(tokens) >= 0
  if (tokens != null && (!isBudget || type !== 'enabled')) others.push('budget_tokens')
  if (type !== 'disabled' && !ownChoice.has(type)) others.push('type')
  const path = (name: string): string => `thinking.${name}`
  const enabled = (budget: number, name: string): ThinkingAmount => ({
    amount: { thinking_budget: budget },
    written: { thinking_budget: path(name) },
    others: others.map(path),
  })
  if (type === 'disabled') return enabled(0, 'type')
  if (type === 'enabled' && isBudget) return enabled(Number(tokens), 'budget_tokens')
  if (ownChoice.has(type)) return enabled(-1, 'type')
  return { amount: {}, written: {}, others: others.map(path) }
}

function nothing(path: string): ThinkingAmount {
  return { amount: {}, written: {}, others: [path] }
}

/** Whether the caller wants the response without the model's thinking. */
export function hidesThinking({ reasoning }: Given): boolean {
  return isObject(reasoning) && reasoning['exclude'] === true
}

/** The response without the model's thinking. */
export function withoutThinking(reply: ChatReply): ChatReply {
  return {
    ...reply,
    choices: reply.choices.map((choice) => {
      const { reasoning_content: _, thinking_blocks: __, ...message } = choice.message
      return { ...choice, message }
    }),
  }
}

/** A chunk without the model's thinking; undefined if it contained nothing else. */
export function withoutThinkingDelta(chunk: ChatChunk): ChatChunk | undefined {
  const isThought = ({ delta }: ChatChunk['choices'][number]): boolean =>
    delta.reasoning_content != null || delta.thinking_blocks !== undefined
  if (!chunk.choices.some(isThought)) return chunk
  const choices = chunk.choices.flatMap((choice) => {
    const { reasoning_content: _, thinking_blocks: __, ...delta } = choice.delta
    const isEmpty = Object.keys(delta).length === 0 && choice.finish_reason === null
    return isEmpty ? [] : [{ ...choice, delta }]
  })
  return choices.length === 0 ? undefined : { ...chunk, choices }
}
