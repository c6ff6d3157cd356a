import type { EngineCard } from '@sluice/engine'
import type { Claim, Limiter } from '../ports/limiter.ts'
import type { Store } from '../ports/store.ts'
import type { RouteParts } from '../route/call-route.ts'
import type { KeyLimits } from './claims.ts'
import type { LearnedSizes } from './call-size.ts'

/** What admission needs of the gateway. */
export interface AdmitParts extends RouteParts {
  /** With the default limits of keys. */
  readonly current: RouteParts['current'] & { readonly limits: KeyLimits }
  readonly engine: Pick<EngineCard, 'models'>
  readonly store: Pick<Store, 'findResponse' | 'findConversation'>
  readonly limiter: Limiter
  readonly learnedSizes: LearnedSizes
  /** Watches the remaining amounts of budgets that calls have used. */
  readonly budgetWatch: { touch(claims: readonly Claim[], refused?: number): void }
  /** Milliseconds since the epoch. */
  readonly now: () => number
}
