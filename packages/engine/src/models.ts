import { type OperationName, operationNames } from '@sluice/contract'
import cards from './models.json' with { type: 'json' }

/** A model card of the built-in engine. Limits are in the engine's own tokens and are enforced. */
export interface EngineModel {
  readonly id: string
  readonly displayName: string
  readonly description: string
  readonly inputTokenLimit: number
  readonly outputTokenLimit: number
  readonly operations: readonly OperationName[]
}

/** What is known about the built-in engine without creating one. */
export interface EngineCard {
  /** The id of its provider in settings, targets and stored records. No other provider may have this id. */
  readonly id: string
  readonly models: readonly EngineModel[]
}

const honest = 'Classical algorithms in this process, no neural weights, no network.'

const models: readonly EngineModel[] = cards.map((card) => ({
  ...card,
  description: `${card.description} ${honest}`,
  operations: operationNames.filter((name) => card.operations.includes(name)),
}))

export const engineCard: EngineCard = { id: 'builtin', models }
