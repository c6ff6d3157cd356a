import { developerAsSystem, effortAs, openaiLike } from '@sluice/protocols'
import { compatible } from './compatible.ts'

export const moonshotai = compatible({
  id: 'moonshotai',
  name: 'Moonshot AI',
  protocol: openaiLike({ chat: { knows: ['reasoning_content'], effortIn: ['thinking'] } }),
  baseUrl: 'https://api.moonshot.ai/v1',
  environment: ['MOONSHOT_API_KEY'],
  operations: ['chat'],
  quirks: [
    developerAsSystem,
    effortAs((effort) => ({ thinking: { type: effort === 'none' ? 'disabled' : 'enabled' } })),
  ],
  documentation: 'https://platform.moonshot.ai/docs/api/chat',
})
