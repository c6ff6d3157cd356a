import { compatible } from './compatible.ts'

export const huggingface = compatible({
  id: 'huggingface',
  name: 'Hugging Face',
  baseUrl: 'https://router.huggingface.co/v1',
  ambient: true,
  environment: ['HF_TOKEN', 'HUGGINGFACE_API_KEY'],
  documentation: 'https://huggingface.co/docs/inference-providers',
})
