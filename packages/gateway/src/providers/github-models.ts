import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { compatible, withoutModelList } from './compatible.ts'

export const githubModels = compatible({
  id: 'github-models',
  name: 'GitHub Models',
  protocol: withoutModelList(openaiLike()),
  baseUrl: 'https://models.github.ai/inference',
  ambient: true,
  environment: ['GITHUB_TOKEN'],
  operations: ['chat', 'embed'],
  quirks: [],
  documentation: 'https://docs.github.com/en/github-models',
})
