import { GatewayError } from '@sluice/contract'
import type { OutputPolicy } from '../ports/account.ts'
import type { Call } from '../call/call.ts'
import type { Target } from '../route/routing.ts'
import { askedOutput, type CallSize } from './call-size.ts'

/** How the output of a call that a budget counts is bounded if its caller does not limit it. */
export interface OutputTerms {
  readonly policy: OutputPolicy
  /** The limit that the gateway sets, if a budget has room for it. */
  readonly tokens: number
  /** The least limit that it sets. */
  readonly tokensMin: number
}

/** Where the limit of the output comes from. */
export type OutputPlan =
  | { readonly by: 'caller'; readonly tokens: number }
  | { readonly by: 'model' }
  | { readonly by: 'gateway'; readonly tokens: number; readonly tokensMin: number }

/**
 * The plan for a call that a budget counts.
 *
 * @throws GatewayError `missing_parameter` if the caller has to limit the output.
 */
export function outputPlan(call: Call, { measured }: CallSize, terms: OutputTerms): OutputPlan {
  const { thinkingBudget = 0 } = measured
  const tokens = askedOutput(call)
  if (tokens !== undefined) return { by: 'caller', tokens }
  const { outputLimit } = call.format
  // Nothing in this format limits the output, or there is none.
  if (outputLimit === 'none' || terms.policy === 'reserve') return { by: 'model' }
  if (terms.policy === 'refuse') {
    const param = outputField(outputLimit.set(call.request.outline, 1))
    throw new GatewayError(
      'missing_parameter',
      `A budget applies to this request: limit its output with '${param}'`,
      { param },
    )
  }
  const tokensMin = terms.tokensMin + thinkingBudget
  return { by: 'gateway', tokens: Math.max(terms.tokens, tokensMin), tokensMin }
}

/** The field as callers write it, also if the object that holds it is missing. */
function outputField({ path, value }: { path: readonly string[]; value: unknown }): string {
  const inner = typeof value === 'object' && value !== null ? Object.keys(value) : []
  return [...path, ...inner].join('.')
}

/**
 * The most output tokens of a target for each choice.
 *
 * @throws GatewayError `forbidden` if the model's maximum is needed and unknown.
 */
export function outputAt(plan: OutputPlan, target: Target): number {
  const most = target.outputTokensMax?.()
  if (plan.by !== 'model') return Math.min(plan.tokens, most ?? plan.tokens)
  if (most !== undefined) return most
  throw new GatewayError(
    'forbidden',
    `A budget applies to this request, and the maximum output of ${target.id} is unknown: limit the output, or set its outputTokenLimit`,
    { param: 'model' },
  )
}

/** The plan with what `room` of the budget is left for, between two costs of the call; undefined if that is too little. */
export function shrunk(
  plan: OutputPlan,
  costOf: (plan: OutputPlan) => number,
  room: number,
): OutputPlan | undefined {
  if (plan.by !== 'gateway') return undefined
  const { tokens, tokensMin } = plan
  const at = (count: number): OutputPlan => ({ ...plan, tokens: count })
  if (tokens <= tokensMin || costOf(at(tokensMin)) > room) return undefined
  let [fits, exceeds] = [tokensMin, tokens]
  while (exceeds - fits > 1) {
    const middle = Math.floor((fits + exceeds) / 2)
    if (costOf(at(middle)) <= room) fits = middle
    else exceeds = middle
  }
  return at(fits)
}
