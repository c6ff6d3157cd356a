import { localServer } from './compatible.ts'
import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { modelServer } from '@sluice/protocols/openai/upstream/options.ts'
import {
  maxTokensOnly,
  readableArguments,
  systemFirst,
} from '@sluice/protocols/openai/upstream/quirks.ts'

export const ollama = localServer({
  id: 'ollama',
  name: 'Ollama',
  protocol: openaiLike({ chat: modelServer }),
  baseUrl: 'http://127.0.0.1:11434/v1',
  operations: ['chat', 'complete', 'embed'],
  quirks: [systemFirst, readableArguments, maxTokensOnly],
  documentation: 'https://docs.ollama.com/openai',
})
