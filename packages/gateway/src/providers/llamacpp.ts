import { localServer } from './compatible.ts'
import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { modelServer } from '@sluice/protocols/openai/upstream/options.ts'
import {
  maxTokensOnly,
  readableArguments,
  systemFirst,
} from '@sluice/protocols/openai/upstream/quirks.ts'

export const llamacpp = localServer({
  id: 'llamacpp',
  name: 'llama.cpp',
  protocol: openaiLike({ chat: modelServer, rerank: {} }),
  baseUrl: 'http://127.0.0.1:8080/v1',
  operations: ['chat', 'complete', 'embed', 'rerank'],
  quirks: [systemFirst, readableArguments, maxTokensOnly],
  documentation: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
})
