import { compatible } from './compatible.ts'

export const wandb = compatible({
  id: 'wandb',
  name: 'W&B Inference',
  baseUrl: 'https://api.inference.wandb.ai/v1',
  environment: ['WANDB_API_KEY'],
  documentation: 'https://docs.wandb.ai/guides/integrations/inference',
})
