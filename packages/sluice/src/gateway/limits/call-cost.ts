import type { Usage } from '@sluice/contract'
import { askedUsage } from '../attempt/charge.ts'
import type { Call } from '../call.ts'
import type { Route, Target } from '../route/routing.ts'
import type { CallSize } from './call-size.ts'
import { heardIn, isFree, searchesIn } from './paid-amounts.ts'

/** Of a picture, where it is paid for by tokens: the most that one is drawn with (OpenAI API, gpt-image-1, high quality). */
const drawnTokens = 6_240
/** Of a video whose request does not say its length. */
const videoSecondsUnsaid = 8

/** What a budget is asked for at least: one that has nothing left lets in nothing, not even what costs nothing. */
export const leastMicroUsd = 1

/** What a call may cost, in millionths of a dollar. */
export interface EstimatedCost {
  readonly microUsd: number
  /** Of it, of each attempt. */
  readonly ofEachMicroUsd: number
}

/**
 * What a call may cost before its upstream was asked: at the dearest of the targets that may be tried, all answers that are asked
 * for at once, and twice where the route hedges. Undefined where one of them has no price.
 */
export function estimatedCost(
  call: Call,
  { route, size, at }: { readonly route: Route; readonly size: CallSize; readonly at: number },
): EstimatedCost | undefined {
  if (isFree(call)) return { microUsd: leastMicroUsd, ofEachMicroUsd: leastMicroUsd }
  const usage = { ...usageOf(call, size), estimated: true }
  let dearest = leastMicroUsd
  let count = 0
  for (const level of route.levels)
    for (const { price } of level) {
      const cost = price.cost(usage, call.operation, at)
      if (!cost) return undefined
      count += 1
      dearest = Math.max(dearest, cost.microUsd, atTier(call, price, { usage, at }))
    }
  const isHedged = route.options.hedge.enabled && count > 1 && call.operation !== 'createVideo'
  const answered = dearest * size.choices
  return { microUsd: answered * (isHedged ? 2 : 1), ofEachMicroUsd: answered }
}

/** At the tier that is asked for, which may be dearer than the usual one; 0 where it has no price of its own. */
function atTier(
  { operation, request }: Call,
  price: Target['price'],
  { usage, at }: { readonly usage: Usage; readonly at: number },
): number {
  const serviceTier = request.value['service_tier']
  if (
    typeof serviceTier !== 'string' ||
    price.written(at)?.serviceTiers?.[serviceTier] === undefined
  )
    return 0
  return price.cost({ ...usage, serviceTier }, operation, at)?.microUsd ?? 0
}

function usageOf(call: Call, { inputTokens, outputTokens }: CallSize): Usage {
  const used: Usage = { inputTokens, outputTokens }
  const { value } = call.request
  switch (call.operation) {
    case 'createImage':
    case 'editImage': {
      const { n } = value
      const images = typeof n === 'number' ? n : 1
      const drawn = { outputTokens: images * drawnTokens, imageOutputTokens: images * drawnTokens }
      return askedUsage(call, { ...used, ...drawn, images }) ?? used
    }
    case 'transcribe':
    case 'translate': {
      // Paid for by its seconds or by tokens of sound and text, whichever has a price.
      const { seconds, audioInputTokens } = heardIn(value)
      return { ...used, audioInputTokens, seconds }
    }
    case 'rerank':
      return { ...used, searchUnits: searchesIn(value) }
    case 'speak':
      return askedUsage(call, undefined) ?? used
    case 'createVideo':
      return askedUsage(call, undefined) ?? { ...used, seconds: videoSecondsUnsaid }
    default:
      return used
  }
}
