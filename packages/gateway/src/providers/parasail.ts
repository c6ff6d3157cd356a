import { compatible } from './compatible.ts'

export const parasail = compatible({
  id: 'parasail',
  name: 'Parasail',
  baseUrl: 'https://api.parasail.io/v1',
  environment: ['PARASAIL_API_KEY'],
  operations: ['chat', 'complete', 'embed'],
  documentation: 'https://docs.parasail.io',
})
