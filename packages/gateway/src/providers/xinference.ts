import { localServer } from './compatible.ts'
import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { modelServer } from '@sluice/protocols/openai/upstream/options.ts'
import { readableArguments, systemFirst } from '@sluice/protocols/openai/upstream/quirks.ts'

export const xinference = localServer({
  id: 'xinference',
  name: 'Xinference',
  protocol: openaiLike({ chat: modelServer, rerank: {} }),
  baseUrl: 'http://127.0.0.1:9997/v1',
  operations: [
    'chat',
    'complete',
    'embed',
    'rerank',
    'transcribe',
    'translate',
    'speak',
    'createImage',
  ],
  quirks: [systemFirst, readableArguments],
  documentation: 'https://inference.readthedocs.io/en/latest',
})
