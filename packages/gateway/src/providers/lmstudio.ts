import { localServer } from './compatible.ts'
import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { modelServer } from '@sluice/protocols/openai/upstream/options.ts'
import { readableArguments, systemFirst } from '@sluice/protocols/openai/upstream/quirks.ts'

export const lmstudio = localServer({
  id: 'lmstudio',
  name: 'LM Studio',
  protocol: openaiLike({ chat: modelServer, responses: true }),
  baseUrl: 'http://127.0.0.1:1234/v1',
  operations: ['chat', 'complete', 'embed'],
  quirks: [systemFirst, readableArguments],
  documentation: 'https://lmstudio.ai/docs/app/api/endpoints/openai',
})
