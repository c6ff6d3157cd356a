import { openaiLike } from '@sluice/protocols'
import { compatible } from './compatible.ts'
import { optionalBearer } from './provider.ts'

export const infinity = compatible({
  id: 'infinity',
  name: 'Infinity',
  protocol: openaiLike({ rerank: {} }),
  baseUrl: 'http://127.0.0.1:7997',
  environment: [],
  credentials: optionalBearer,
  operations: ['embed', 'rerank'],
  documentation: 'https://michaelfeil.eu/infinity',
  local: true,
})
