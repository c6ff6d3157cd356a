import type { ChatRequest } from '@sluice/contract'

export type Effort = NonNullable<ChatRequest['reasoning_effort']>

/** The greatest budget in tokens that each effort stands for, for models that support only efforts. */
const efforts = [
  [0, 'none'],
  [1024, 'minimal'],
  [4096, 'low'],
  [16_384, 'medium'],
] as const

/** The effort that a thinking budget stands for; undefined for -1, which leaves it to the model. */
export function effortOf(budget: number): Effort | undefined {
  if (budget < 0) return undefined
  return efforts.find(([most]) => budget <= most)?.[1] ?? 'high'
}

/** The effort with this name; undefined if there is none. */
export function readEffort(name: unknown): Effort | undefined {
  return order.find((effort) => effort === name)
}

const order: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** The supported effort nearest to the one asked for; `none` only if it was asked for. `known` must not be empty. */
export function nearestEffort(asked: Effort, known: readonly Effort[]): Effort {
  if (known.includes(asked)) return asked
  const distance = (effort: Effort) => Math.abs(order.indexOf(effort) - order.indexOf(asked))
  const thinking = known.filter((effort) => effort !== 'none')
  return thinking.toSorted((a, b) => distance(a) - distance(b))[0] ?? asked
}
