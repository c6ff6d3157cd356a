import type { Usage } from '@sluice/contract'
import { askedUsage } from '../attempt/charge.ts'
import type { Call } from '../call.ts'
import type { Route, Target } from '../route/routing.ts'
import type { CallSize } from './call-size.ts'
import { heardIn, isFree, searchesIn } from './paid-amounts.ts'

/** Output tokens of an image billed by tokens: the maximum of OpenAI's first GPT image model at high quality. */
const drawnTokens = 6_240
/** Assumed length of a video if the request does not give it. */
const videoSecondsUnsaid = 8

/** The minimum reservation. An exhausted budget admits nothing, not even requests that cost nothing. */
export const leastMicroUsd = 1

/** The estimated maximum cost of a call, in millionths of a dollar. */
export interface EstimatedCost {
  readonly microUsd: number
  /** The part of it for each attempt. */
  readonly ofEachMicroUsd: number
}

/**
 * Estimates the maximum cost of a call before an upstream is asked: the most expensive target, all choices, and twice
 * that if the route hedges. Undefined if one of the targets has no price.
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

/** The fields of client formats that ask to be served at another price. */
const tierFields = ['service_tier', 'serviceTier', 'speed', 'inference_geo'] as const

/**
 * The cost at the requested service tier, which may be higher than the default; 0 if the tier has no price of its
 * own.
 */
function atTier(
  { operation, request }: Call,
  price: Target['price'],
  { usage, at }: { readonly usage: Usage; readonly at: number },
): number {
  const { outline: value } = request
  if (tierFields.every((name) => typeof value[name] !== 'string')) return 0
  const asked = tierFields.flatMap((name) => {
    const tier = value[name]
    return typeof tier === 'string' ? [tier.toLowerCase()] : []
  })
  const known = price.written(at)?.serviceTiers ?? {}
  const serviceTier = asked.filter((tier) => known[tier] !== undefined).join('+')
  if (serviceTier === '') return 0
  return price.cost({ ...usage, serviceTier }, operation, at)?.microUsd ?? 0
}

function usageOf(call: Call, { inputTokens, outputTokens }: CallSize): Usage {
  const used: Usage = { inputTokens, outputTokens }
  const { outline: value } = call.request
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
      // Billed by seconds or by audio and text tokens, whichever has a price.
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
