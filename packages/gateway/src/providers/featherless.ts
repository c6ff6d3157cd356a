import { compatible } from './compatible.ts'

export const featherless = compatible({
  id: 'featherless',
  name: 'Featherless AI',
  baseUrl: 'https://api.featherless.ai/v1',
  environment: ['FEATHERLESS_API_KEY'],
  operations: ['chat', 'complete'],
  documentation: 'https://featherless.ai/docs/api-reference-overview',
})
