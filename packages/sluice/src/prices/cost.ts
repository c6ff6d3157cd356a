import type { OperationName, Usage } from '@sluice/contract'
import { type Price, type Rate, type RateName, scaled } from './price.ts'

/** What a bill is made of. */
export type CostPart =
  | 'input'
  | 'cacheRead'
  | 'cacheWrite'
  | 'output'
  | 'reasoning'
  | 'audio'
  | 'image'
  | 'units'
  | 'tools'

export interface Cost {
  /** Millionths of a dollar, a half rounded up. The sum of the parts. */
  readonly microUsd: number
  /** Parts that cost something, in the same unit, so rounded that they sum to the whole. */
  readonly parts: Readonly<Partial<Record<CostPart, number>>>
  readonly priceSource: string
  /** YYYY-MM-DD. */
  readonly priceDate: string
  /** True where the quantities are this gateway's estimate, and not what the provider reported. */
  readonly estimated: boolean
}

export type PricedUsage = Usage & { readonly estimated?: boolean }

const attoPerMicro = 10n ** 12n
const millionth = 1_000_000n

interface Line {
  readonly part: CostPart
  readonly quantity: number
  /** Undefined where nobody knows it. */
  readonly rate: Rate | undefined
}

/**
 * What a call costs. Exact in integers until the end; the whole is rounded once, to millionths of a dollar. Null where
 * something that was used has no price: an unknown price is never taken for 0.
 */
export function cost(usage: PricedUsage, operation: OperationName, price: Price): Cost | null {
  const factor = factorOf(usage.serviceTier, price)
  const lines = linesOf(usage, operation, price)
  if (factor === undefined || lines === undefined) return null
  const amounts = new Map<CostPart, bigint>()
  for (const { part, quantity, rate } of lines) {
    if (quantity === 0) continue
    if (!rate) return null
    const amount = amountOf(rate, quantity, usage.inputTokens)
    // Calls of tools are never cheaper, whatever the tier (OpenAI and Anthropic, pricing of tools).
    const charged = part === 'tools' ? amount : (amount * factor) / millionth
    amounts.set(part, (amounts.get(part) ?? 0n) + charged)
  }
  return {
    ...rounded(amounts),
    priceSource: price.source,
    priceDate: price.date,
    estimated: usage.estimated === true,
  }
}

/** Tiers at the usual price. */
const usualTiers: ReadonlySet<string> = new Set(['auto', 'default', 'standard', 'on_demand'])

function factorOf(tier: string | undefined, price: Price): bigint | undefined {
  const factor = price.serviceTiers.get(tier ?? 'default')
  if (factor !== undefined) return factor
  return tier === undefined || usualTiers.has(tier) ? millionth : undefined
}

function amountOf({ atto, tiers, minimum }: Rate, quantity: number, inputTokens: number): bigint {
  const tier = tiers.find(({ above }) => inputTokens > above)
  const count = scaled(Math.max(quantity, minimum), millionth)
  return (count * (tier?.atto ?? atto)) / millionth
}

/**
 * All that is charged, or undefined where nothing says how. Many a provider counts more than it charges: where its
 * price is for images, seconds, characters or searches, tokens without a price are not charged, and the other way round.
 */
function linesOf(usage: PricedUsage, operation: OperationName, price: Price) {
  const { rates } = price
  const units = unitsOf(usage, operation, price)
  const tokens = tokensOf(usage, rates)
  const request: Line = { part: 'units', quantity: 1, rate: variantOf('request', usage, price) }
  const chargedUnits = units.filter(({ rate }) => rate !== undefined)
  const hasTokens = tokens.some(({ quantity }) => quantity > 0)
  const isByTokens = hasTokens && tokens.every(({ rate, quantity }) => rate || quantity === 0)
  const isByUnits = chargedUnits.length > 0
  const isByRequest = request.rate !== undefined
  const used = hasTokens || units.length > 0
  if (used && !isByTokens && !isByUnits && !isByRequest) return undefined
  return [
    ...chargedUnits,
    ...(isByTokens ? tokens : isByUnits || isByRequest ? [] : tokens),
    ...(isByRequest ? [request] : []),
    ...Object.entries(usage.serverToolCalls ?? {}).map(
      ([name, quantity]): Line => ({ part: 'tools', quantity, rate: price.tools.get(name) }),
    ),
  ]
}

const videoOperations: ReadonlySet<OperationName> = new Set(['createVideo', 'getVideo'])

function unitsOf(usage: PricedUsage, operation: OperationName, price: Price): readonly Line[] {
  const { rates } = price
  const second = videoOperations.has(operation) ? 'videoSecond' : 'audioSecond'
  const found: readonly (readonly [CostPart, number | undefined, Rate | undefined])[] = [
    ['image', usage.images, variantOf('image', usage, price)],
    ['units', usage.seconds, variantOf(second, usage, price)],
    ['units', usage.characters, rates.character],
    ['units', usage.searchUnits, rates.searchUnit],
  ]
  return found.flatMap(([part, quantity = 0, rate]) =>
    quantity > 0 ? [{ part, quantity, rate }] : [],
  )
}

/** The first kind that is what was asked for; whoever asked for nothing gets what stands first. */
function variantOf(unit: RateName, { size, quality }: Usage, price: Price): Rate | undefined {
  const kind = price.variants.find(
    (one) => one.unit === unit && isAsked(one.size, size) && isAsked(one.quality, quality),
  )
  return kind?.rate ?? price.rates[unit]
}

function isAsked(kind: string | undefined, asked: string | undefined): boolean {
  return kind === undefined || asked === undefined || asked === 'auto' || kind === asked
}

/**
 * Tokens by what they cost, each counted once. What was read from a cache counts as that, whatever it was. A kind that
 * has no price of its own costs what the kind around it does, except where providers charge several times as much: audio,
 * and cache writes that are kept for an hour.
 */
function tokensOf(usage: PricedUsage, rates: Price['rates']): readonly Line[] {
  const { billedInputTokens: input, billedOutputTokens: output } = usage
  if (input !== undefined || output !== undefined)
    return [
      { part: 'input', quantity: input ?? 0, rate: rates.input },
      { part: 'output', quantity: output ?? 0, rate: rates.output },
    ]
  const left = { input: usage.inputTokens, output: usage.outputTokens }
  const take = (from: 'input' | 'output', count = 0): number => {
    const taken = Math.min(Math.max(0, count), left[from])
    left[from] -= taken
    return taken
  }
  const read = take('input', usage.cachedInputTokens)
  const written = take('input', usage.cacheWriteTokens)
  const writtenLong = Math.min(usage.longCacheWriteTokens ?? 0, written)
  const audioIn = take('input', usage.audioInputTokens)
  const imageIn = take('input', usage.imageInputTokens)
  const audioOut = take('output', usage.audioOutputTokens)
  const imageOut = take('output', usage.imageOutputTokens)
  const reasoning = take('output', usage.reasoningTokens)
  const write1h = rates.cacheWrite1h ?? (rates.cacheWrite ? undefined : rates.input)
  return [
    { part: 'cacheRead', quantity: read, rate: rates.cacheRead ?? rates.input },
    {
      part: 'cacheWrite',
      quantity: written - writtenLong,
      rate: rates.cacheWrite ?? rates.input,
    },
    { part: 'cacheWrite', quantity: writtenLong, rate: write1h },
    { part: 'audio', quantity: audioIn, rate: rates.audioInput },
    { part: 'image', quantity: imageIn, rate: rates.imageInput ?? rates.input },
    { part: 'input', quantity: left.input, rate: rates.input },
    { part: 'audio', quantity: audioOut, rate: rates.audioOutput },
    { part: 'image', quantity: imageOut, rate: rates.imageOutput ?? rates.output },
    { part: 'reasoning', quantity: reasoning, rate: rates.reasoning ?? rates.output },
    { part: 'output', quantity: left.output, rate: rates.output },
  ]
}

/** Each part is cut to whole millionths; what the rounded sum has more goes to those that lost most. */
function rounded(amounts: ReadonlyMap<CostPart, bigint>): Pick<Cost, 'microUsd' | 'parts'> {
  let exact = 0n
  for (const amount of amounts.values()) exact += amount
  const whole = (exact + attoPerMicro / 2n) / attoPerMicro
  let missing = whole
  const cut = [...amounts].map(([part, amount]) => {
    missing -= amount / attoPerMicro
    return { part, micro: Number(amount / attoPerMicro), rest: amount % attoPerMicro }
  })
  cut.sort((a, b) => (a.rest < b.rest ? 1 : -1))
  for (const one of cut) {
    if (missing <= 0n) break
    one.micro += 1
    missing -= 1n
  }
  const parts = cut.filter(({ micro }) => micro > 0).map(({ part, micro }) => [part, micro])
  return { microUsd: Number(whole), parts: Object.fromEntries(parts) as Cost['parts'] }
}

/** Millionths of a dollar as dollars, such as `0.000123`. */
export function formatUsd(microUsd: number): string {
  return (microUsd / 1_000_000).toFixed(6)
}
