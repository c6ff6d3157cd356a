import {
  type CallOutcome,
  isObject,
  noUsage,
  type Operation,
  operations,
  type Usage,
  type UsageRecord,
} from '@sluice/contract'
import type { Cost } from '../../prices/cost.ts'
import type { Call } from '../call.ts'
import type { Target } from '../route/routing.ts'

type Charged = Pick<UsageRecord, 'costMicroUsd' | 'priceSource' | 'priceDate'>

export interface Ended {
  readonly usage: Usage | undefined
  readonly estimated: boolean
  readonly outcome: CallOutcome
  /** It failed because nothing came in time: the upstream may have worked, and charge for it. */
  readonly isTimeout: boolean
  readonly startedAt: number
}

/**
 * What an attempt costs, added to the sum of its call. What failed with an answer, or without a connection, is not
 * charged; what was broken off before anybody said what it used costs nobody knows what.
 */
export function charge(call: Call, { price }: Target, ended: Ended): Charged {
  const { trail, operation } = call
  const { usage, estimated, outcome, isTimeout, startedAt } = ended
  const described: Operation = operations[operation]
  if (described.isFree === true || (usage === undefined && outcome === 'failed' && !isTimeout))
    return { costMicroUsd: 0, priceSource: 'not charged' }
  const used = { ...(usage ?? noUsage), estimated }
  const found = usage === undefined && !price.isFree ? null : price.cost(used, operation, startedAt)
  if (!found) trail.unknownCosts += 1
  else trail.costMicroUsd += found.microUsd
  return found ? recorded(found) : {}
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
