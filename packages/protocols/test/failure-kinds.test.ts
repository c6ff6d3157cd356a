import { GatewayError } from '@sluice/contract'
import { describe, expect, test } from 'vitest'
import { failureKind, recognized } from '../src/failure-kinds.ts'

const context: readonly (readonly [string, string | undefined, string])[] = [
  [
    'OpenAI',
    'context_length_exceeded',
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
  ],
  [
    'OpenAI Responses',
    undefined,
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
  ],
  [
    'OpenAI, configured',
    undefined,
    'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.',
  ],
  ['Anthropic', 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'],
  [
    'Anthropic with its limit',
    'invalid_request_error',
    'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
  ],
  [
    'Gemini',
    'INVALID_ARGUMENT',
    'The input token count (1048577) exceeds the maximum number of tokens allowed (1048575).',
  ],
  [
    'Vertex',
    'INVALID_ARGUMENT',
    'Unable to submit request because the input token count is 1200000 but model only supports up to 1048576. Reduce the input token count and try again.',
  ],
  ['Bedrock', 'ValidationException', 'Input is too long for requested model.'],
  [
    'Cohere',
    undefined,
    'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000. Try using a shorter prompt.',
  ],
  [
    'Mistral',
    '3051',
    'Prompt contains 40960 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
  ],
  [
    'DeepSeek',
    'invalid_request_error',
    "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (62000 in the messages, 8000 in the completion).",
  ],
  ['Groq', 'context_length_exceeded', 'Please reduce the length of the messages or completion.'],
  [
    'xAI',
    'invalid-argument',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  ],
  [
    'OpenRouter',
    '400',
    "This endpoint's maximum context length is 128000 tokens. However, you requested about 140000 tokens (140000 of text input). Please reduce the length of either one, or use the context-compression plugin.",
  ],
  [
    'vLLM',
    'BadRequestError',
    'The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.',
  ],
  [
    'newer vLLM',
    '400',
    "You passed 4097 input tokens and requested 0 output tokens. However, the model's context length is only 4096 tokens",
  ],
  [
    'SGLang',
    undefined,
    "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
  ],
  [
    'llama.cpp',
    '400',
    'the request exceeds the available context size (4096 tokens), try increasing it',
  ],
  ['llama.cpp by type', 'exceed_context_size_error', 'no'],
  ['Ollama', undefined, 'the input length exceeds the context length'],
  [
    'LM Studio',
    undefined,
    'Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
  ],
  [
    'older LM Studio',
    undefined,
    'The number of tokens to keep from the initial prompt is greater than the context length.',
  ],
  [
    'Moonshot',
    'invalid_request_error',
    'Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)',
  ],
  [
    'DashScope',
    'InvalidParameter',
    '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]',
  ],
  ['Zhipu', '1261', 'Prompt 超长'],
  [
    'text-generation-inference',
    'validation',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 500 `max_new_tokens`',
  ],
  ['Fireworks', undefined, 'The prompt is too long: 40000, model maximum context length: 32768'],
  [
    'Cerebras',
    'context_length_exceeded',
    'Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192',
  ],
  [
    'GitHub Models',
    'tokens_limit_reached',
    'Request body too large for gpt-4o model. Max size: 8000 tokens.',
  ],
  [
    'Copilot',
    'model_max_prompt_tokens_exceeded',
    'prompt token count of 130000 exceeds the limit of 128000',
  ],
  ['Volcengine', 'InvalidParameter', 'Total tokens of image and text exceed max message tokens.'],
]

const content: typeof context = [
  [
    'Azure',
    'content_filter',
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
  ],
  [
    'OpenAI',
    'invalid_prompt',
    'Invalid prompt: your prompt was flagged as potentially violating our usage policy.',
  ],
  ['OpenAI, images', 'moderation_blocked', 'Your request was rejected by the safety system.'],
  ['Anthropic', 'invalid_request_error', 'Output blocked by content filtering policy'],
  [
    'Vertex',
    'INVALID_ARGUMENT',
    "The prompt could not be submitted. This prompt contains sensitive words that violate Google's Responsible AI practices.",
  ],
  ['xAI', undefined, 'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO'],
  [
    'OpenRouter',
    '403',
    'Your chosen model requires moderation and your input was flagged for "violence".',
  ],
  ['DeepSeek', 'invalid_request_error', 'Content Exists Risk'],
  ['Moonshot', 'content_filter', 'The request was rejected because it was considered high risk'],
  ['DashScope', 'data_inspection_failed', 'Input data may contain inappropriate content.'],
  ['Zhipu', '1301', '系统检测到输入或生成内容可能包含不安全或敏感内容'],
]

const quota: typeof context = [
  [
    'Moonshot',
    'exceeded_current_quota_error',
    'Your account is suspended, please check your plan and billing details',
  ],
  [
    'Anthropic',
    'invalid_request_error',
    'Your credit balance is too low to access the Anthropic API.',
  ],
  ['DeepSeek', 'unknown_error', 'Insufficient Balance'],
  ['DashScope', 'Arrearage', 'Access denied, please make sure your account is in good standing.'],
  ['Zhipu', '1113', '您的账户已欠费，请充值后重试'],
  [
    'Volcengine',
    'AccountOverdueError',
    'The request failed because your account has an overdue balance.',
  ],
]

const rate: typeof context = [
  ['OpenAI', 'rate_limit_exceeded', 'Rate limit reached for gpt-5 on requests per min.'],
  [
    'Gemini',
    'RESOURCE_EXHAUSTED',
    'You exceeded your current quota, please check your plan and billing details.',
  ],
  ['Bedrock', 'ThrottlingException', 'Too many requests, please wait before trying again.'],
  ['DashScope', 'Throttling.RateQuota', 'Requests rate limit exceeded, please try again later.'],
  ['Cohere', undefined, 'You are past the per minute request limit: too many requests'],
]

const none: typeof context = [
  [
    'OpenAI, output',
    'invalid_value',
    'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
  ],
  [
    'a parameter',
    'unsupported_parameter',
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  ],
  [
    'a text',
    'string_above_max_length',
    "Invalid 'input[0].content': string too long. Expected a string with maximum length 10485760.",
  ],
  ['Mistral, any argument', '3051', 'reasoning_effort is not enabled for this model'],
  ['a model', 'model_not_found', 'The model `context` does not exist'],
  ['a content', 'invalid_value', "Invalid value: 'content'. Supported values are: 'text'."],
]

describe.each([
  ['context', context],
  ['content', content],
  ['quota', quota],
  ['rate', rate],
  [undefined, none],
] as const)('an error is known as one of %s', (kind, cases) => {
  test.each(cases)('in the words of %s', (_, code, message) => {
    expect(failureKind(code, message)).toBe(kind)
  })
})

const errorOf = (
  code: 'upstream_rejected' | 'upstream_unavailable',
  message: string,
  details = {},
) => recognized(new GatewayError(code, message, details), 'acme')

test('a context overflow is the caller’s to shorten, whatever its status was', () => {
  for (const code of ['upstream_rejected', 'upstream_unavailable'] as const) {
    const error = errorOf(code, 'prompt is too long', { upstreamStatus: 500, publicCode: '400' })
    expect(error.toJSON().error).toMatchObject({
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
    })
    expect([error.status, error.blame]).toEqual([400, 'caller'])
  }
})

test('missing quota concerns the account, and its words are not shown', () => {
  const error = errorOf('upstream_rejected', 'Your credit balance is too low', {
    upstreamStatus: 400,
    status: 400,
  })
  expect([error.code, error.status]).toEqual(['upstream_refused_us', 502])
  expect(error.message).not.toContain('credit')
})

test('a rate limit with another status is one, unless the request alone is too large', () => {
  const limited = { upstreamStatus: 400, upstreamCode: 'ThrottlingException', status: 400 }
  expect(errorOf('upstream_rejected', 'x', limited).status).toBe(429)
  const large = { upstreamStatus: 413, upstreamCode: 'rate_limit_exceeded', status: 413 }
  expect(errorOf('upstream_rejected', 'Request too large', large).status).toBe(413)
})
