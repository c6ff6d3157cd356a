import type { Money, OperationName, Usage } from '@sluice/contract'
import { type Price, type Rate, type RateName, scaled } from './price.ts'

/** What this part is for: the name of a rate, or of a tool the provider ran. */
export interface CostPart {
  readonly kind: string
  readonly quantity: number
  /** Millionths of a dollar, not rounded. */
  readonly microUsd: number
}

/** What a call cost, and the price that says so. */
export interface Cost {
  /** Rounded half up to picodollars. */
  readonly money: Money
  /** The page, file or library of the price, or `charged by the provider`. */
  readonly priceSource: string
  /** The day of the price, YYYY-MM-DD; empty for a charge. */
  readonly priceDate: string
  /** Whether the quantities are this gateway's estimate instead of the provider's report. */
  readonly estimated: boolean
}

/** Usage, with whether its quantities are this gateway's estimate. Default: they are what the provider reported. */
export type PricedUsage = Usage & { readonly estimated?: boolean }

const attoPerPico = 1_000_000n
const attoPerMicro = 10n ** 12n
const attoPerUsd = attoPerMicro * 1_000_000n
const millionth = 1_000_000n

/** A quantity above 0 of one kind. */
interface Line {
  readonly kind: RateName
  readonly quantity: number
  /** Undefined if unknown. */
  readonly rate: Rate | undefined
}

/**
 * The cost of a call, computed exactly in integers and rounded once, to picodollars. Null if anything used has no price,
 * because an unknown price never counts as 0.
 */
export function cost(usage: PricedUsage, operation: OperationName, price: Price): Cost | null {
  const atto = plainCost(usage, price) ?? fullCost(usage, operation, price)
  return atto === null ? null : costIn(atto, price, usage.estimated === true)
}

/** A cost that is known without a calculation, in US dollars. */
export function knownCost(usd: number, source: string): Cost {
  return costIn(scaled(usd, attoPerUsd), { source, date: '' }, false)
}

function costIn(
  atto: bigint,
  { source, date }: Pick<Price, 'source' | 'date'>,
  estimated: boolean,
): Cost {
  const money = (atto + attoPerPico / 2n) / attoPerPico
  return { money, priceSource: source, priceDate: date, estimated }
}

/**
 * The cost in 10⁻¹⁸ USD of a call that used nothing but input and output tokens, as most do, at one rate each; undefined for
 * others. The same as `fullCost`, without a list of what was used.
 */
function plainCost(usage: PricedUsage, price: Price): bigint | undefined {
  const { plain } = price
  const { inputTokens, outputTokens } = usage
  if (!plain || !Number.isSafeInteger(inputTokens) || !Number.isSafeInteger(outputTokens))
    return undefined
  if (inputTokens < 0 || outputTokens < 0) return undefined
  for (const name in usage) if (!isPlain(name, usage[name as keyof Usage])) return undefined
  if (factorOf(usage.serviceTier, price) !== millionth) return undefined
  return BigInt(inputTokens) * plain.input + BigInt(outputTokens) * plain.output
}

const plainFields: ReadonlySet<string> = new Set<keyof PricedUsage>([
  'inputTokens',
  'outputTokens',
  'estimated',
  'serviceTier',
  'chargedUsd',
])

/** Whether a field of a usage leaves its cost as it is. 0 billed tokens do not: they replace the others. */
function isPlain(name: string, value: unknown): boolean {
  return plainFields.has(name) || value === undefined || (value === 0 && !name.startsWith('billed'))
}

function fullCost(usage: PricedUsage, operation: OperationName, price: Price): bigint | null {
  let atto = 0n
  const isKnown = addUp(usage, operation, price, (_kind, _quantity, amount) => {
    atto += amount
  })
  return isKnown ? atto : null
}

/** The parts of the cost that are above 0; null if the total is unknown. */
export function costParts(
  usage: PricedUsage,
  operation: OperationName,
  price: Price,
): readonly CostPart[] | null {
  const parts: CostPart[] = []
  const isKnown = addUp(usage, operation, price, (kind, quantity, atto) => {
    if (atto > 0n) parts.push({ kind, quantity, microUsd: Number(atto) / Number(attoPerMicro) })
  })
  return isKnown ? parts : null
}

type Add = (kind: string, quantity: number, atto: bigint) => void

/** False if something used has no price. */
function addUp(usage: PricedUsage, operation: OperationName, price: Price, add: Add): boolean {
  const factor = factorOf(usage.serviceTier, price)
  const lines = linesOf(usage, operation, price)
  if (factor === undefined || lines === undefined) return false
  for (const { kind, quantity, rate } of lines) {
    if (!rate) return false
    const amount = amountOf(rate, quantity, usage.inputTokens)
    add(kind, quantity, factor === millionth ? amount : (amount * factor) / millionth)
  }
  // Tool calls cost the same in every tier (OpenAI and Anthropic, pricing of tools).
  for (const tool in usage.serverToolCalls) {
    const quantity = usage.serverToolCalls[tool] ?? 0
    const rate = price.tools.get(tool)
    if (quantity === 0) continue
    if (!rate) return false
    add(tool, quantity, amountOf(rate, quantity, usage.inputTokens))
  }
  return true
}

/** Tiers with the usual price. */
const usualTiers: ReadonlySet<string> = new Set(['auto', 'default', 'standard', 'on_demand'])

/** The factors of several tiers in one name, such as `fast+us`, are multiplied. */
function factorOf(tier: string | undefined, price: Price): bigint | undefined {
  const factor = price.serviceTiers.get(tier ?? 'default')
  if (factor !== undefined) return factor
  if (tier === undefined || usualTiers.has(tier)) return millionth
  const parts = tier.split('+')
  if (parts.length === 1) return undefined
  const factors = parts.map((part) => factorOf(part, price))
  return factors.reduce(
    (product, each) =>
      product === undefined || each === undefined ? undefined : (product * each) / millionth,
    millionth,
  )
}

function amountOf(rate: Rate, quantity: number, inputTokens: number): bigint {
  const { atto, tiers, minimum, maximum = Number.POSITIVE_INFINITY } = rate
  const each = tiers.find(({ above }) => inputTokens > above)?.atto ?? atto
  const count = Math.min(Math.max(quantity, minimum), maximum)
  if (Number.isSafeInteger(count)) return BigInt(count) * each
  return (scaled(count, millionth) * each) / millionth
}

/**
 * Everything that is charged; undefined if the price does not cover what was used. Many providers report more than they charge:
 * if the price is per image, second, character or search, tokens without a price are not charged, and the other way round.
 */
function linesOf(
  usage: PricedUsage,
  operation: OperationName,
  price: Price,
): readonly Line[] | undefined {
  const { rates } = price
  const units = unitsOf(usage, operation, price)
  const tokens = tokensOf(usage, rates)
  const perRequest = variantOf('request', usage, price)
  const charged = units.filter(({ rate }) => rate !== undefined)
  const isByTokens = tokens.length > 0 && tokens.every(({ rate }) => rate !== undefined)
  const isOtherwise = charged.length > 0 || perRequest !== undefined
  const used = tokens.length > 0 || units.length > 0
  if (used && !isByTokens && !isOtherwise) return undefined
  if (isByTokens && !isOtherwise) return tokens
  if (isByTokens) charged.push(...tokens)
  if (perRequest) charged.push({ kind: 'request', quantity: 1, rate: perRequest })
  return charged
}

function addLine(
  lines: Line[],
  kind: RateName,
  quantity: number | undefined,
  rate: Rate | undefined,
): void {
  if (quantity !== undefined && quantity > 0) lines.push({ kind, quantity, rate })
}

const videoOperations: ReadonlySet<OperationName> = new Set(['createVideo', 'getVideo'])

function unitsOf(usage: PricedUsage, operation: OperationName, price: Price): readonly Line[] {
  const { rates } = price
  const second = videoOperations.has(operation) ? 'videoSecond' : 'audioSecond'
  const lines: Line[] = []
  addLine(lines, 'image', usage.images, variantOf('image', usage, price))
  addLine(lines, second, usage.seconds, variantOf(second, usage, price))
  addLine(lines, 'character', usage.characters, rates.character)
  addLine(lines, 'searchUnit', usage.searchUnits, rates.searchUnit)
  return lines
}

/** The first variant that matches the request. A request without size or quality gets the first one. */
function variantOf(unit: RateName, { size, quality }: Usage, price: Price): Rate | undefined {
  if (price.variants.length === 0) return price.rates[unit]
  const kind = price.variants.find(
    (one) => one.unit === unit && isAsked(one.size, size) && isAsked(one.quality, quality),
  )
  return kind?.rate ?? price.rates[unit]
}

function isAsked(kind: string | undefined, asked: string | undefined): boolean {
  return kind === undefined || asked === undefined || asked === 'auto' || kind === asked
}

/**
 * Tokens by price, each counted once. Cached tokens count as cached, whatever their kind, but for audio that is told to be. A
 * kind without a price costs as much as the kind that contains it, except where providers charge several times as much: audio,
 * and cache writes kept for an hour.
 */
function tokensOf(usage: PricedUsage, rates: Price['rates']): readonly Line[] {
  const lines: Line[] = []
  const { billedInputTokens: input, billedOutputTokens: output } = usage
  if (input !== undefined || output !== undefined) {
    addLine(lines, 'input', input, rates.input)
    addLine(lines, 'output', output, rates.output)
    return lines
  }
  const remaining = { input: usage.inputTokens, output: usage.outputTokens }
  const take = (from: 'input' | 'output', count = 0): number => {
    const taken = Math.min(Math.max(0, count), remaining[from])
    remaining[from] -= taken
    return taken
  }
  const cachedAudio = Math.min(usage.cachedAudioInputTokens ?? 0, usage.cachedInputTokens ?? 0)
  const audioRead = take('input', cachedAudio)
  const read = take('input', (usage.cachedInputTokens ?? 0) - audioRead)
  const written = take('input', usage.cacheWriteTokens)
  const writtenLong = Math.min(usage.longCacheWriteTokens ?? 0, written)
  const audioIn = take('input', (usage.audioInputTokens ?? 0) - audioRead)
  const imageIn = take('input', usage.imageInputTokens)
  const audioOut = take('output', usage.audioOutputTokens)
  const imageOut = take('output', usage.imageOutputTokens)
  const reasoning = take('output', usage.reasoningTokens)
  const write1h = rates.cacheWrite1h ?? (rates.cacheWrite ? undefined : rates.input)
  const cacheRead = rates.cacheRead ?? rates.input
  addLine(lines, 'audioCacheRead', audioRead, rates.audioCacheRead ?? cacheRead)
  addLine(lines, 'cacheRead', read, cacheRead)
  addLine(lines, 'cacheWrite', written - writtenLong, rates.cacheWrite ?? rates.input)
  addLine(lines, 'cacheWrite1h', writtenLong, write1h)
  addLine(lines, 'audioInput', audioIn, rates.audioInput)
  addLine(lines, 'imageInput', imageIn, rates.imageInput ?? rates.input)
  addLine(lines, 'input', remaining.input, rates.input)
  addLine(lines, 'audioOutput', audioOut, rates.audioOutput)
  addLine(lines, 'imageOutput', imageOut, rates.imageOutput ?? rates.output)
  addLine(lines, 'reasoning', reasoning, rates.reasoning ?? rates.output)
  addLine(lines, 'output', remaining.output, rates.output)
  return lines
}
