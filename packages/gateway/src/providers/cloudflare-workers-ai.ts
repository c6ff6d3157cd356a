import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { compatible, withoutModelList } from './compatible.ts'

export const cloudflareWorkersAi = compatible({
  id: 'cloudflare-workers-ai',
  name: 'Cloudflare Workers AI',
  protocol: withoutModelList(
    openaiLike({ chat: { knows: ['top_k'] }, embed: { inputsMax: 100 }, responses: true }),
  ),
  baseUrl: 'https://api.cloudflare.com/client/v4/accounts/{resource}/ai/v1',
  environment: ['CLOUDFLARE_API_TOKEN', 'CLOUDFLARE_API_KEY'],
  operations: ['chat', 'embed'],
  settingsFrom: { resource: ['CLOUDFLARE_ACCOUNT_ID'] },
  documentation: 'https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility',
})
