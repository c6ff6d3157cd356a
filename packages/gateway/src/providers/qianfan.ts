import { compatible } from './compatible.ts'

export const qianfan = compatible({
  id: 'qianfan',
  name: 'Baidu Qianfan',
  baseUrl: 'https://qianfan.baidubce.com/v2',
  environment: ['QIANFAN_API_KEY'],
  operations: ['chat', 'embed'],
  documentation: 'https://cloud.baidu.com/doc/qianfan-api/s/3m7of64lb',
})
