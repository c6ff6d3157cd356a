import { isObject, noUsage, type Usage, type UsageRecord } from '@sluice/contract'
import type { Cost } from '../../prices/cost.ts'
import type { Call } from '../call.ts'
import { isFree } from '../limits/paid-amounts.ts'
import type { Target } from '../route/routing.ts'
import type { Run } from '../run/run.ts'

type Charged = Pick<UsageRecord, 'costMicroUsd' | 'priceSource' | 'priceDate'>

export interface Ended {
  readonly usage: Usage | undefined
  readonly estimated: boolean
  /** Whether the upstream is taken to have worked: it answered, or had the request when it was not waited for any longer. */
  readonly isCharged: boolean
  readonly startedAt: number
}

/** What an attempt costs, added to the sums of its call. */
export function charge(
  { call, pieces = 1 }: Pick<Run, 'call' | 'pieces'>,
  target: Target,
  ended: Ended,
): Charged {
  const { trail, operation } = call
  if (!ended.isCharged || isFree(call)) return { costMicroUsd: 0, priceSource: 'not charged' }
  const { providerId: provider, model } = target
  const found = costOf(operation, target, ended)
  if (!found) trail.unknownCosts += 1
  else trail.costMicroUsd += found.microUsd
  const reservedMicroUsd = reservedForPiece(call, pieces)
  // What nobody knows the cost of counts with what was put aside for it: it is never taken for nothing.
  if (reservedMicroUsd > 0)
    trail.spent.push({ provider, model, microUsd: found?.microUsd ?? reservedMicroUsd })
  return found ? recorded(found) : {}
}

/** What it has cost so far, as it is noted should this process die. */
export function costSoFar(
  { operation }: Call,
  target: Target,
  usage: Usage,
  startedAt: number,
): Charged {
  const found = costOf(operation, target, { usage, estimated: true, startedAt })
  return found ? recorded(found) : {}
}

function costOf(
  operation: Call['operation'],
  { price }: Target,
  { usage, estimated, startedAt }: Omit<Ended, 'isCharged'>,
): Cost | null {
  if (usage === undefined && !price.isFree) return null
  return price.cost({ ...(usage ?? noUsage), estimated }, operation, startedAt)
}

/** What budgets have put aside for one of so many attempts at the same; 0 where none counts the call. */
export function reservedForPiece({ admission }: Call, pieces: number): number {
  return Math.ceil((admission.reservedMicroUsd ?? 0) / pieces)
}

function recorded({ microUsd, priceSource, priceDate }: Cost): Charged {
  return {
    costMicroUsd: microUsd,
    priceSource,
    ...(priceDate !== '' && { priceDate }),
  }
}

/** What is paid for by what was asked for: no upstream says how many characters it spoke, or how large a picture is. */
export function askedUsage(
  { operation, request }: Call,
  said: Usage | undefined,
): Usage | undefined {
  switch (operation) {
    case 'speak': {
      const { input } = request.value
      if (said !== undefined || typeof input !== 'string') return said
      return { ...noUsage, characters: [...input].length }
    }
    case 'createVideo': {
      const { seconds, size } = request.value
      const length = said?.seconds ?? Number(seconds ?? Number.NaN)
      if (!Number.isFinite(length)) return said
      return { ...(said ?? noUsage), seconds: length, ...textOf('size', size) }
    }
    case 'createImage':
    case 'editImage': {
      if (said?.images === undefined) return said
      const { size, quality } = isObject(request.value) ? request.value : {}
      return { ...said, ...textOf('size', size), ...textOf('quality', quality) }
    }
    default:
      return said
  }
}

function textOf<Name extends string>(
  name: Name,
  value: unknown,
): { readonly [N in Name]?: string } {
  // The name is the one that the type says.
  return (typeof value === 'string' ? { [name]: value } : {}) as { readonly [N in Name]?: string }
}
