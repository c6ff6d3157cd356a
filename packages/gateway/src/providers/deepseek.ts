import { openaiLike } from '@sluice/protocols/openai/index.ts'
import {
  developerAsSystem,
  emptyReasoning,
  maxTokensOnly,
  toldSchema,
} from '@sluice/protocols/openai/upstream/quirks.ts'
import { compatible } from './compatible.ts'

const chat = {
  lacks: ['logit_bias', 'seed', 'verbosity'],
  knows: ['reasoning_content'],
  effortIn: ['thinking'],
  stopsMax: 16,
} as const

/** These continue and fill texts (https://api-docs.deepseek.com/api/create-completion); the others only chat. */
const filling = openaiLike({
  chat,
  complete: {
    path: '/../beta/completions',
    lacks: ['n', 'best_of', 'logit_bias', 'seed', 'user'],
    singlePrompt: true,
  },
})

export const deepseek = compatible({
  id: 'deepseek',
  name: 'DeepSeek',
  protocol: openaiLike({ chat, complete: false }),
  protocolOf: (model) => (/^deepseek-(chat|v4-pro)/.test(model) ? filling : undefined),
  baseUrl: 'https://api.deepseek.com/v1',
  environment: ['DEEPSEEK_API_KEY'],
  operations: ['chat', 'complete'],
  quirks: [developerAsSystem, maxTokensOnly, toldSchema, emptyReasoning],
  routingFields: [],
  documentation: 'https://api-docs.deepseek.com',
})
