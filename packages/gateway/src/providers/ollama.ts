import { maxTokensOnly, openaiLike, readableArguments, systemFirst } from '@sluice/protocols'
import { compatible } from './compatible.ts'
import { optionalBearer } from './provider.ts'

export const ollama = compatible({
  id: 'ollama',
  name: 'Ollama',
  protocol: openaiLike({ chat: { knows: ['reasoning_content'] } }),
  baseUrl: 'http://127.0.0.1:11434/v1',
  environment: [],
  credentials: optionalBearer,
  operations: ['chat', 'complete', 'embed'],
  quirks: [systemFirst, readableArguments, maxTokensOnly],
  documentation: 'https://docs.ollama.com/openai',
  local: true,
})
