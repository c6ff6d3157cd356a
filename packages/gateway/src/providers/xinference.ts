import { openaiLike, readableArguments, systemFirst } from '@sluice/protocols'
import { compatible } from './compatible.ts'
import { optionalBearer } from './provider.ts'

export const xinference = compatible({
  id: 'xinference',
  name: 'Xinference',
  protocol: openaiLike({ chat: { knows: ['top_k', 'reasoning_content'] }, rerank: {} }),
  baseUrl: 'http://127.0.0.1:9997/v1',
  environment: [],
  credentials: optionalBearer,
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
  local: true,
})
