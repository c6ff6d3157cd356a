import { dashscope } from '@sluice/protocols/dashscope/index.ts'
import { wholeWithoutThinking } from '@sluice/protocols/dashscope/whole-answers.ts'
import { effortAs, maxTokensOnly, systemFirst } from '@sluice/protocols/openai/upstream/quirks.ts'
import { bearer, type Provider } from './provider.ts'

/** Keys belong to a region: `baseUrl: https://dashscope.aliyuncs.com` for those of mainland China. */
export const alibaba: Provider = {
  id: 'alibaba',
  name: 'Alibaba Model Studio',
  type: 'dashscope',
  protocol: dashscope,
  baseUrl: 'https://dashscope-intl.aliyuncs.com',
  environment: ['DASHSCOPE_API_KEY', 'ALIBABA_API_KEY'],
  credentials: bearer,
  quirks: [
    systemFirst,
    maxTokensOnly,
    wholeWithoutThinking,
    effortAs((effort) => ({ enable_thinking: effort !== 'none' })),
  ],
  documentation: 'https://www.alibabacloud.com/help/en/model-studio/qwen-api-reference',
}
