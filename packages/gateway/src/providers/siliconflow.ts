import { openaiLike } from '@sluice/protocols/openai/index.ts'
import {
  developerAsSystem,
  effortAs,
  maxTokensOnly,
} from '@sluice/protocols/openai/upstream/quirks.ts'
import { compatible } from './compatible.ts'

export const siliconflow = compatible({
  id: 'siliconflow',
  name: 'SiliconFlow',
  protocol: openaiLike({
    chat: { knows: ['top_k', 'reasoning_content', 'thinking_budget'] },
    embed: { inputsMax: 32 },
    rerank: {},
  }),
  baseUrl: 'https://api.siliconflow.com/v1',
  environment: ['SILICONFLOW_API_KEY'],
  operations: ['chat', 'embed', 'rerank', 'transcribe', 'speak'],
  quirks: [
    developerAsSystem,
    maxTokensOnly,
    effortAs((effort) =>
      effort === 'none' ? { enable_thinking: false } : { reasoning_effort: effort },
    ),
  ],
  documentation: 'https://docs.siliconflow.com/en/api-reference/chat-completions/chat-completions',
})
