import { moneyOfNanoUsd, splitMoney, type Usage, type UsageRecord } from '@sluice/contract'
import type { Cost } from '../prices/cost.ts'
import type { Call } from '../call/call.ts'
import { isFree } from '../admit/paid-amounts.ts'
import type { Target } from '../route/routing.ts'
import type { CallRun } from './call-run.ts'

export type Charged = Pick<
  UsageRecord,
  'costMicroUsd' | 'costRestPicoUsd' | 'priceSource' | 'priceDate'
>

export interface Ended {
  readonly usage: Usage | undefined
  readonly estimated: boolean
  /**
   * Whether the upstream is assumed to have done the work: it answered, or it had the request when the gateway
   * stopped waiting.
   */
  readonly isCharged: boolean
  readonly startedAt: number
}

/** Computes the cost of an attempt and adds it to the totals of its call. */
export function charge(
  { call, pieces = 1 }: Pick<CallRun, 'call' | 'pieces'>,
  target: Target,
  ended: Ended,
): Charged {
  const { trail, operation } = call
  if (!ended.isCharged || isFree(call)) return { costMicroUsd: 0, priceSource: 'not charged' }
  const { providerId: provider, model } = target
  const found = costOf(operation, target, ended)
  if (!found) trail.unknownCosts += 1
  else trail.cost += found.money
  const reserved = reservedForPiece(call, pieces)
  // An unknown cost counts as the reserved amount, never as zero.
  if (reserved > 0)
    trail.spent.push({ provider, model, money: found?.money ?? moneyOfNanoUsd(reserved) })
  return found ? recorded(found) : {}
}

/** The cost so far, recorded in case the process dies. */
export function costSoFar(
  { operation }: Call,
  target: Target,
  usage: Usage,
  startedAt: number,
): Charged {
  const found = costOf(operation, target, { usage, estimated: true, startedAt })
  // The rest also where it is 0, because an earlier one stays on record until another is noted.
  return found ? { costRestPicoUsd: 0, ...recorded(found) } : {}
}

function costOf(
  operation: Call['operation'],
  { price }: Target,
  { usage, estimated, startedAt }: Omit<Ended, 'isCharged'>,
): Cost | null {
  return price.cost(usage && { ...usage, estimated }, operation, startedAt)
}

/** The budget reservation for one of `pieces` equal attempts, in nanodollars; 0 if no budget counts the call. */
export function reservedForPiece({ admission }: Call, pieces: number): number {
  return Math.ceil((admission.reservedNanoUsd ?? 0) / pieces)
}

function recorded({ money, priceSource, priceDate }: Cost): Charged {
  const [costMicroUsd, rest] = splitMoney(money)
  return {
    costMicroUsd,
    ...(rest !== 0 && { costRestPicoUsd: rest }),
    priceSource,
    ...(priceDate !== '' && { priceDate }),
  }
}
