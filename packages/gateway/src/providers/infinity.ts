import { localServer } from './compatible.ts'
import { openaiLike } from '@sluice/protocols/openai/index.ts'

export const infinity = localServer({
  id: 'infinity',
  name: 'Infinity',
  protocol: openaiLike({ rerank: {} }),
  baseUrl: 'http://127.0.0.1:7997',
  operations: ['embed', 'rerank'],
  documentation: 'https://michaelfeil.eu/infinity',
})
