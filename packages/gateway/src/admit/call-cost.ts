import { nanoUsdOf, noUsage, type Usage } from '@sluice/contract'
import type { PriceInput, RateName, ToolInput } from '../prices/price.ts'
import { type Call, isWriting } from '../call/call.ts'
import type { Route, Target } from '../route/routing.ts'
import { everyLevel } from '../route/unpriced.ts'
import { type InputBound, inputBound } from './input-bound.ts'
import {
  type CallSize,
  densestAudio,
  heardIn,
  isFree,
  lengthOf,
  mostRankedTokens,
  mostSearchesIn,
  usualAudio,
  askedUsage,
} from './call-size.ts'

/** Output tokens of an image billed by tokens: the most of OpenAI's GPT image models, and of three partial images. */
const drawnTokens = 6_240 + 3 * 100
/** Assumed length of a video if the request does not give it. */
const videoSecondsUnsaid = 8
/** 32 audio tokens a second (Gemini API, token counting) of speech of four characters a second, a quarter of the usual speed. */
const audioTokensPerCharacter = 8
/** How much more than usual a request may have, in budgets that count by estimates. */
const estimateMargin = 1.5

/** The minimum reservation. An exhausted budget admits nothing, not even requests that cost nothing. */
export const leastNanoUsd = 1

/** What a call may cost, in nanodollars. */
export interface ReservedCost {
  readonly nanoUsd: number
  /** The part of it for each attempt. */
  readonly ofEachNanoUsd: number
}

/** How the cost of a call is reckoned. */
export interface Reckoning {
  readonly route: Route
  readonly size: CallSize
  /** `bytes`: the most that it may cost. `estimate`: what it usually costs, with a margin. */
  readonly by: 'bytes' | 'estimate'
  /** The output tokens that a target may write for each choice. */
  readonly outputOf: (target: Target) => number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/**
 * What a call may cost before an upstream is asked: at the most expensive target, all choices, and twice that if the route
 * hedges. Undefined if one of the targets has no price.
 *
 * @throws GatewayError `forbidden` if nothing bounds the input (`inputBound`).
 */
export function reservedCost(call: Call, reckoning: Reckoning): ReservedCost | undefined {
  if (isFree(call)) return { nanoUsd: leastNanoUsd, ofEachNanoUsd: leastNanoUsd }
  const { route, at } = reckoning
  let dearest = leastNanoUsd
  let count = 0
  const levels = route.longer ? everyLevel(route) : route.levels
  for (const level of levels)
    for (const target of level) {
      const { price } = target
      const nanoUsd = isFreeOf(price, at) ? 0 : costAt(call, target, reckoning)
      if (nanoUsd === undefined) return undefined
      count += 1
      dearest = Math.max(dearest, nanoUsd)
    }
  const isHedged = route.options.hedge.enabled && count > 1 && call.operation !== 'createVideo'
  return { nanoUsd: dearest * (isHedged ? 2 : 1), ofEachNanoUsd: dearest }
}

/** Whether a price is 0 for everything, so that sizes do not matter. */
function isFreeOf(price: Target['price'], at: number): boolean {
  if (price.isFree) return true
  const written = price.written(at)
  return written !== undefined && isZero(written)
}

/** A price is looked at once, not for every call. */
const zero = new WeakMap<PriceInput, boolean>()

function isZero(written: PriceInput): boolean {
  const known = zero.get(written)
  if (known !== undefined) return known
  const { rates, variants = [], tools = {} } = written
  const usds = [
    ...Object.values(rates).map(({ usd }) => usd),
    ...variants.map(({ usd }) => usd),
    ...Object.values(tools).map(usdOf),
  ]
  const found = Object.keys(rates).length > 0 && usds.every((usd) => usd === 0)
  zero.set(written, found)
  return found
}

/** Undefined if something has no price. */
function costAt(call: Call, target: Target, reckoning: Reckoning): number | undefined {
  const { size, at } = reckoning
  if (target.price.written(at) === undefined) return undefined
  const choices = size.measured.choices
  let dearest: number | undefined
  for (const used of usagesOf(call, target, reckoning)) {
    const usage = { ...used, estimated: true }
    const cost = target.price.cost(usage, call.operation, at)
    if (!cost) return undefined
    dearest = Math.max(
      dearest ?? 0,
      nanoUsdOf(cost.money),
      atTier(call, target.price, { usage, at }),
    )
  }
  return dearest === undefined ? undefined : dearest * choices
}

/** What a call may use, in all the ways in which the price may differ. */
function usagesOf(call: Call, target: Target, reckoning: Reckoning): readonly Usage[] {
  const { size, by, outputOf } = reckoning
  if (by === 'estimate') {
    const inputTokens = Math.ceil(size.estimate.inputTokens * estimateMargin)
    const outputTokens = isWriting(call) ? outputOf(target) : size.estimate.outputTokens
    return [usageOf(call, { inputTokens, outputTokens }, usualAudio)]
  }
  const input = inputBound(size.input, target, size.measured)
  const rates = target.price.written(reckoning.at)?.rates ?? {}
  const used = usageOf(call, boundOf(call, { input, target, reckoning }), densestAudio)
  return dearestInputs(used, { call, input, rates }).flatMap((one) => dearestOutputs(one, rates))
}

interface Bounding {
  readonly input: InputBound
  readonly target: Target
  readonly reckoning: Reckoning
}

function boundOf(call: Call, { input, target, reckoning }: Bounding): Usage {
  const { tokens, imageTokens, audioTokens, readings } = input
  const { measured } = reckoning.size
  // Predicted text that the model rejects is billed as output (OpenAI API, predicted outputs).
  const predicted = call.request.outline['prediction'] == null ? 0 : tokens
  const output = isWriting(call) ? reckoning.outputOf(target) + predicted : 0
  const tools = toolsOf(target.price, reckoning.at, measured.providerTools?.uses)
  return {
    inputTokens: tokens * readings,
    outputTokens: output * readings,
    ...(imageTokens > 0 && { imageInputTokens: imageTokens * readings }),
    ...(audioTokens > 0 && { audioInputTokens: audioTokens * readings }),
    ...(tools && { serverToolCalls: tools }),
  }
}

/** All calls of tools as calls of the one that costs most, beside the dearest of those that are paid for by the request. */
function toolsOf(price: Target['price'], at: number, uses = 0): Usage['serverToolCalls'] {
  if (uses === 0) return undefined
  const known = Object.entries(price.written(at)?.tools ?? {}).toSorted(
    ([, one], [, other]) => usdOf(other) - usdOf(one),
  )
  const byCall = known.filter(([, tool]) => typeof tool === 'number').slice(0, 1)
  const byRequest = known.filter(([, tool]) => typeof tool !== 'number').slice(0, uses)
  const calls = [...byCall.map(([name]) => [name, uses]), ...byRequest.map(([name]) => [name, 1])]
  return calls.length === 0 ? undefined : Object.fromEntries(calls)
}

/** The price of a tool, by the call or by the request. */
function usdOf(tool: ToolInput): number {
  return typeof tool === 'number' ? tool : tool.usd
}

type Rates = Readonly<Partial<Record<RateName, unknown>>>

/** Text that is written to the provider's cache costs more than the input that it is. */
function dearestInputs(
  usage: Usage,
  {
    call,
    input,
    rates,
  }: { readonly call: Call; readonly input: InputBound; readonly rates: Rates },
): readonly Usage[] {
  const { inputTokens } = usage
  const written = { ...usage, cacheWriteTokens: inputTokens }
  const isCached = rates.cacheWrite !== undefined && call.request.mayMention('cache')
  const isLong = isCached && rates.cacheWrite1h !== undefined && call.request.mayMention('1h')
  return [
    usage,
    ...(isCached ? [written] : []),
    ...(isLong ? [{ ...written, longCacheWriteTokens: inputTokens }] : []),
    ...(input.hasUnknown && rates.audioInput !== undefined
      ? [{ ...usage, audioInputTokens: inputTokens }]
      : []),
  ]
}

function dearestOutputs(usage: Usage, rates: Rates): readonly Usage[] {
  const { outputTokens } = usage
  return [
    usage,
    ...(rates.reasoning === undefined ? [] : [{ ...usage, reasoningTokens: outputTokens }]),
    ...(rates.audioOutput === undefined ? [] : [{ ...usage, audioOutputTokens: outputTokens }]),
    ...(rates.imageOutput === undefined ? [] : [{ ...usage, imageOutputTokens: outputTokens }]),
  ]
}

/** The fields of client formats that ask to be served at another price. */
const tierFields = ['service_tier', 'serviceTier', 'speed', 'inference_geo'] as const

/**
 * The cost in nanodollars at the requested service tier, which may be higher than the default; 0 if the tier has no price of its
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
  return nanoUsdOf(price.cost({ ...usage, serviceTier }, operation, at)?.money ?? 0n)
}

function usageOf(call: Call, used: Usage, density: typeof usualAudio): Usage {
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
      const { seconds, audioInputTokens, outputTokens } = heardIn(value, density)
      const inputTokens = lengthOf(value['prompt']) + audioInputTokens
      return { ...used, inputTokens, audioInputTokens, outputTokens, seconds }
    }
    case 'rerank':
      return { ...used, inputTokens: mostRankedTokens(value), searchUnits: mostSearchesIn(value) }
    case 'speak':
      return spokenUsage(call, used)
    case 'createVideo':
      return askedUsage(call, undefined) ?? { ...used, seconds: videoSecondsUnsaid }
    default:
      return used
  }
}

/** Billed by characters or by tokens of text and audio, whichever has a price. */
function spokenUsage(call: Call, used: Usage): Usage {
  const { characters = 0 } = askedUsage(call, undefined) ?? noUsage
  const outputTokens = characters * audioTokensPerCharacter
  return { ...used, characters, outputTokens, audioOutputTokens: outputTokens }
}
