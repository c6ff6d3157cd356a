import type { OperationName } from '@sluice/contract'
import type { Engine, EngineContext, EngineOperation } from '@sluice/engine'

/** What an operation gets besides its request. */
export type AiSdkContext = Pick<
  Required<EngineContext>,
  'model' | 'target' | 'signal' | 'now' | 'newId' | 'unsupported' | 'leftOut' | 'fetchMedia'
>

export type AiSdkOperation<O extends OperationName> = EngineOperation<O, AiSdkContext>

/** The operations that the package offers. */
export type AiSdkProvider = Engine<AiSdkContext>
