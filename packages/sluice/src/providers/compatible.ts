import type { OperationName } from '@sluice/contract'
import { developerAsSystem, openaiLike, type Protocol } from '@sluice/protocols'
import { bearer, type Provider } from './provider.ts'

/** OpenAI's chat with what the common servers of open models add to it (vLLM, SGLang). */
const openModels: Protocol = openaiLike({
  chat: { knows: ['top_k', 'reasoning_content'], effortIn: ['reasoning', 'thinking'] },
})

const usualOperations: readonly OperationName[] = ['chat']

type Known = Pick<Provider, 'id' | 'name' | 'baseUrl' | 'environment' | 'documentation'>

/**
 * An OpenAI-compatible host: a bearer key, chat and nothing else, no role `developer`. Whatever differs is said in the
 * provider's file.
 */
export function compatible(given: Known & Partial<Provider>): Provider {
  return {
    protocol: openModels,
    credentials: bearer,
    operations: usualOperations,
    quirks: [developerAsSystem],
    ...given,
  }
}

/** For hosts that list their models nowhere, or not in OpenAI's form. */
export function withoutModelList({ models: _models, ...protocol }: Protocol): Protocol {
  return protocol
}
