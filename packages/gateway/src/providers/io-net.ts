import { compatible } from './compatible.ts'

export const ioNet = compatible({
  id: 'io-net',
  name: 'IO Intelligence',
  baseUrl: 'https://api.intelligence.io.solutions/api/v1',
  environment: ['IOINTELLIGENCE_API_KEY'],
  operations: ['chat', 'embed'],
  documentation: 'https://io.net/docs/guides/intelligence/io-intelligence',
})
