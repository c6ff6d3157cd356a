import type { OperationName } from '@sluice/contract'
import { developerAsSystem, openaiLike, type Protocol } from '@sluice/protocols'
import { bearer, type Provider } from './provider.ts'

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

/** For hosts without a model list in OpenAI's format. */
export function withoutModelList({ models: _models, ...protocol }: Protocol): Protocol {
  return protocol
}
