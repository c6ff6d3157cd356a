import type { OperationName } from '@sluice/contract'
import { bearer, optionalBearer, type Provider } from './provider.ts'
import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { developerAsSystem, effortAs } from '@sluice/protocols/openai/upstream/quirks.ts'
import type { Protocol } from '@sluice/protocols/protocol.ts'

/** What common servers for open models (vLLM, SGLang) add to OpenAI's Chat Completions. */
export const openModelsChat = {
  knows: ['top_k', 'reasoning_content'],
  effortIn: ['reasoning', 'thinking'],
} as const

const openModels: Protocol = openaiLike({ chat: openModelsChat })

const usualOperations: readonly OperationName[] = ['chat']

type Known = Pick<Provider, 'id' | 'name' | 'baseUrl' | 'environment' | 'documentation'>

/** An OpenAI-compatible host: bearer key, chat only, no `developer` role. Differences are set in the provider's file. */
export function compatible(given: Known & Partial<Provider>): Provider {
  return {
    protocol: openModels,
    credentials: bearer,
    operations: usualOperations,
    quirks: [developerAsSystem],
    ...given,
  }
}

/** An OpenAI-compatible server on the user's own machine, which needs no key. Otherwise as `compatible`. */
export function localServer(given: Omit<Known, 'environment'> & Partial<Provider>): Provider {
  return compatible({ environment: [], credentials: optionalBearer, local: true, ...given })
}

/** For hosts whose models think or do not, whatever the effort. */
export const thinkingSwitch = effortAs((effort) => ({
  thinking: { type: effort === 'none' ? 'disabled' : 'enabled' },
}))

/** For hosts without a model list in OpenAI's format. */
export function withoutModelList({ models: _models, ...protocol }: Protocol): Protocol {
  return protocol
}
