import { compatible } from './compatible.ts'

export const stepfun = compatible({
  id: 'stepfun',
  name: 'StepFun',
  baseUrl: 'https://api.stepfun.com/v1',
  environment: ['STEPFUN_API_KEY'],
  documentation: 'https://platform.stepfun.com/docs/zh/api-reference/chat/chat-completion-create',
})
