import { localServer } from './compatible.ts'
import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { modelServer } from '@sluice/protocols/openai/upstream/options.ts'
import {
  maxTokensOnly,
  readableArguments,
  systemFirst,
} from '@sluice/protocols/openai/upstream/quirks.ts'

export const localai = localServer({
  id: 'localai',
  name: 'LocalAI',
  protocol: openaiLike({ chat: modelServer, rerank: {} }),
  baseUrl: 'http://127.0.0.1:8080/v1',
  operations: ['chat', 'complete', 'embed', 'rerank', 'transcribe', 'speak', 'createImage'],
  quirks: [systemFirst, readableArguments, maxTokensOnly],
  documentation: 'https://localai.io/features',
})
