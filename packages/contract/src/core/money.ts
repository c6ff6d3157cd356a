/**
 * Money inside the gateway, in whole picodollars (10⁻¹² US dollars): sums of what single tokens cost are exact. A bigint, so
 * that it is exact at any size, and so that the compiler tells it from a number in another unit. Other units exist only where
 * money comes in or goes out, and names say which: `microUsd` in settings, in the API and in the ledger, `nanoUsd` in limiters.
 */
export type Money = bigint

const picoPerNano = 1_000n
const picoPerMicro = 1_000_000n
/** Nanodollars in a millionth of a dollar. */
export const nanoPerMicro = 1_000

const microDecimals = 6
const usdDecimals = 12

/** Up to here a number of picodollars is exact. */
const exactMax = BigInt(Number.MAX_SAFE_INTEGER)

export function moneyOfNanoUsd(nanoUsd: number): Money {
  return BigInt(nanoUsd) * picoPerNano
}

/** Of millionths with decimals, such as `microUsdOf` returns. */
export function moneyOfMicroUsd(microUsd: number): Money {
  // A product would be rounded.
  return BigInt(microUsd.toFixed(microDecimals).replace('.', ''))
}

/** Whole nanodollars, rounded up. */
export function nanoUsdOf(money: Money): number {
  return Number((money + picoPerNano - 1n) / picoPerNano)
}

/** Millionths of a dollar, with decimals: each picodollar up to $8,589, the closest number beyond. */
export function microUsdOf(money: Money): number {
  return numberOf(money, microDecimals)
}

/** Dollars, with decimals; the closest number. */
export function usdOf(money: Money): number {
  return numberOf(money, usdDecimals)
}

/** Dollars with all their decimals, at least six: `0.000123`, `0.00000024`. */
export function formatUsd(money: Money): string {
  return decimal(money, usdDecimals).replace(/0{1,6}$/, '')
}

/**
 * How the ledger keeps money: whole millionths of a dollar, rounded half up, which is what programs before picodollars knew,
 * and the picodollars that this lacks, which are negative if it was rounded up. Sums of both parts are those of the sum.
 */
export function splitMoney(money: Money): readonly [microUsd: number, restPicoUsd: number] {
  const micro = (money + picoPerMicro / 2n) / picoPerMicro
  return [Number(micro), Number(money - micro * picoPerMicro)]
}

/** The money that the ledger keeps like this. */
export function joinMoney(microUsd: number, restPicoUsd = 0): Money {
  return BigInt(microUsd) * picoPerMicro + BigInt(restPicoUsd)
}

/** What an attempt cost, as a usage record keeps it; undefined if the price is unknown. */
export function costOf({
  costMicroUsd,
  costRestPicoUsd,
}: {
  readonly costMicroUsd?: number
  readonly costRestPicoUsd?: number
}): Money | undefined {
  return costMicroUsd === undefined ? undefined : joinMoney(costMicroUsd, costRestPicoUsd)
}

function numberOf(money: Money, decimals: number): number {
  return money <= exactMax ? Number(money) / 10 ** decimals : Number(decimal(money, decimals))
}

function decimal(money: Money, decimals: number): string {
  const digits = String(money).padStart(decimals + 1, '0')
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}
