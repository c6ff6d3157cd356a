import { developerAsSystem, maxTokensOnly } from '@sluice/protocols/openai/upstream/quirks.ts'
import { compatible } from './compatible.ts'

export const ollamaCloud = compatible({
  id: 'ollama-cloud',
  name: 'Ollama Cloud',
  baseUrl: 'https://ollama.com/v1',
  environment: ['OLLAMA_API_KEY'],
  quirks: [developerAsSystem, maxTokensOnly],
  documentation: 'https://docs.ollama.com/cloud',
})
