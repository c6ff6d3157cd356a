import { compatible } from './compatible.ts'

export const modelscope = compatible({
  id: 'modelscope',
  name: 'ModelScope',
  baseUrl: 'https://api-inference.modelscope.cn/v1',
  environment: ['MODELSCOPE_API_KEY'],
  documentation: 'https://modelscope.cn/docs/model-service/API-Inference/intro',
})
