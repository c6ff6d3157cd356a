import { compatible, thinkingSwitch } from './compatible.ts'
import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { developerAsSystem, emptyReasoning } from '@sluice/protocols/openai/upstream/quirks.ts'

export const moonshotai = compatible({
  id: 'moonshotai',
  name: 'Moonshot AI',
  protocol: openaiLike({ chat: { knows: ['reasoning_content'], effortIn: ['thinking'] } }),
  baseUrl: 'https://api.moonshot.ai/v1',
  environment: ['MOONSHOT_API_KEY'],
  operations: ['chat'],
  quirks: [developerAsSystem, thinkingSwitch, emptyReasoning],
  documentation: 'https://platform.moonshot.ai/docs/api/chat',
})
