import { compatible } from './compatible.ts'

export const hyperbolic = compatible({
  id: 'hyperbolic',
  name: 'Hyperbolic',
  baseUrl: 'https://api.hyperbolic.xyz/v1',
  environment: ['HYPERBOLIC_API_KEY'],
  operations: ['chat', 'complete'],
  documentation: 'https://docs.hyperbolic.xyz/docs/rest-api',
})
