import { describe, expect, it, test } from 'vitest'
import { chatOutputMax } from '../src/families/chat-models.ts'
import { claudeOutputMax } from '../src/families/claude.ts'
import { geminiOutputMax } from '../src/families/gemini.ts'
import { outputLimitIn, outputMaximumIn } from '../src/output-limit.ts'

// Refusals of a request with a limit of 64,000 tokens, as providers and servers word them.
test.each<[string, object | undefined]>([
  [
    'max_tokens is too large: 64000. This model supports at most 32768 completion tokens, whereas you provided 64000.',
    { tokens: 32_768 },
  ],
  [
    'max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet-20241022',
    { tokens: 8192 },
  ],
  [
    'Unable to submit request because it has a maxOutputTokens value of 64000 but the supported range is from 1 (inclusive) to 8193 (exclusive). Update the value and try again.',
    { tokens: 8192 },
  ],
  ['Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', { tokens: 8192 }],
  ['Invalid max_tokens value, the valid range of max_tokens is [1,512]', { tokens: 512 }],
  [
    '<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]',
    { tokens: 8192 },
  ],
  [
    '`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model',
    { tokens: 8192 },
  ],
  [
    'The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.',
    { tokens: 4096 },
  ],
  [
    'The parameter `max_completion_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 12288, but got 64000 instead.',
    { tokens: 12_288 },
  ],
  ['max_output_tokens of 64,000 is more than the 16,384 that are possible', { tokens: 16_384 }],
  ['max_new_tokens must be less than 2048 (64000 given)', { tokens: 2047 }],
  [
    "'max_tokens' or 'max_completion_tokens' is too large: 64000. This model's maximum context length is 32768 tokens and your request has 13 input tokens (64000 > 32768 - 13).",
    { tokens: 32_755, window: 32_768 },
  ],
  [
    "This model's maximum context length is 8192 tokens. However, you requested 64013 tokens (13 in the messages, 64000 in the completion). Please reduce the length of the messages or completion.",
    { tokens: 8179, window: 8192 },
  ],
  [
    'input length and `max_tokens` exceed context limit: 150000 + 64000 > 200000, decrease input length or `max_tokens` and try again',
    { tokens: 50_000, window: 200_000 },
  ],
  [
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 13 `inputs` tokens and 64000 `max_new_tokens`',
    { tokens: 8180, window: 8193 },
  ],
  // The prompt alone is too long, or is not measured.
  [
    "This model's maximum context length is 8192 tokens. However, you requested 73000 tokens (9000 in the messages, 64000 in the completion).",
    undefined,
  ],
  [
    "This model's maximum context length is 128000 tokens. However, you requested 64000 output tokens and your prompt contains at least 64001 input tokens, for a total of at least 128001 tokens.",
    undefined,
  ],
  [
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    undefined,
  ],
  // About something else.
  ['`max_tokens` must be greater than `thinking.budget_tokens`', undefined],
  ['max_tokens: Field required', undefined],
  [
    "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 64000 instead.",
    undefined,
  ],
  ['The model gpt-4.1-2025 does not exist', undefined],
  ['64000 is too large; use 100', undefined],
  ['max_tokens 64000: see error 4001 or 4002', undefined],
])('%s', (message, expected) => {
  expect(outputMaximumIn(message, 64_000)).toEqual(expected)
})

it('never returns a maximum above the sent limit', () => {
  const message = 'This model supports at most 32768 completion tokens'
  expect(outputMaximumIn(message, 32_768)).toBeUndefined()
  expect(outputMaximumIn(message, 100)).toBeUndefined()
  expect(
    outputMaximumIn(
      'a maxOutputTokens value of 65536 but the supported range is from 1 (inclusive) to 65536 (exclusive)',
      65_536,
    ),
  ).toEqual({ tokens: 65_535 })
})

test.each<[object, number | undefined]>([
  [{ max_tokens: 5 }, 5],
  [{ max_completion_tokens: 7, max_tokens: 5 }, 5],
  [{ max_output_tokens: 5 }, 5],
  [{ generation_config: { maxOutputTokens: 5 } }, 5],
  [{ inferenceConfig: { maxTokens: 5 } }, 5],
  [{ max_tokens: null }, undefined],
  [{}, undefined],
])('the output limit of %j is %s', (body, limit) => {
  expect(outputLimitIn(body)).toBe(limit)
})

describe('known maximum output', () => {
  test.each<[string, number | undefined]>([
    ['gpt-4.1-mini-2025-04-14', 32_768],
    ['ft:gpt-4o-mini-2024-07-18:acme::id', 16_384],
    ['gpt-4o-2024-05-13', 4096],
    ['chatgpt-4o-latest', 16_384],
    ['gpt-4-turbo', 4096],
    ['gpt-4', undefined],
    ['gpt-3.5-turbo-0125', 4096],
    ['gpt-3.5-turbo-instruct', undefined],
    ['gpt-5-mini', 128_000],
    ['gpt-5-pro', 272_000],
    ['gpt-5-chat-latest', 16_384],
    ['gpt-5.2', 128_000],
    ['gpt-5.9', undefined],
    ['o1-mini', 65_536],
    ['o3', 100_000],
    ['gpt-oss-120b', undefined],
    ['my-gpt-4.1', undefined],
    ['m', undefined],
  ])('%s at OpenAI is %s', (model, most) => {
    expect(chatOutputMax(model)).toBe(most)
  })

  test.each<[string, number | undefined]>([
    ['claude-3-haiku-20240307', 4096],
    ['claude-sonnet-4-5', 64_000],
    ['us.anthropic.claude-opus-4-1-20250805-v1:0', 32_000],
    ['claude-sonnet-4-6', 128_000],
    ['claude-next', undefined],
    ['kimi-k2', undefined],
  ])('%s is %s', (model, most) => {
    expect(claudeOutputMax(model)).toBe(most)
  })

  test.each<[string, number | undefined]>([
    ['gemini-1.5-flash', 8192],
    ['gemini-2.5-pro', 65_536],
    ['gemini-3.8-flash', 65_536],
    ['gemini-4-carbon', undefined],
    ['gemini-2.5-flash-image', undefined],
    ['gemini-flash-latest', undefined],
    ['gemma-3-27b-it', undefined],
  ])('%s is %s', (model, most) => {
    expect(geminiOutputMax(model)).toBe(most)
  })
})
