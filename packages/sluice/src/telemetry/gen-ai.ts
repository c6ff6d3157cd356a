// Names from OpenTelemetry's semantic conventions for generative AI (https://opentelemetry.io/docs/specs/semconv/gen-ai/). They
// are still in development and have changed before, so they are only in this file.

/** Metrics of the conventions, measured for every attempt at an upstream. */
export const genAiMetrics = {
  tokenUsage: 'gen_ai.client.token.usage',
  operationDuration: 'gen_ai.client.operation.duration',
  timeToFirstToken: 'gen_ai.server.time_to_first_token',
  timePerOutputToken: 'gen_ai.server.time_per_output_token',
} as const

/** Attributes of spans and metrics. */
export const genAi = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  responseModel: 'gen_ai.response.model',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedInputTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  tokenType: 'gen_ai.token.type',
  errorType: 'error.type',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  systemInstructions: 'gen_ai.system_instructions',
} as const

/** The conventions' buckets, in seconds. */
export const durationBuckets = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
] as const
export const firstTokenBuckets = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
] as const
export const perTokenBuckets = [
  0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5,
] as const
/** In tokens. */
export const tokenBuckets = [
  1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
  67_108_864,
] as const

/** The conventions' names of operations, or this gateway's own if they have none. */
const operationWords: ReadonlyMap<string, string> = new Map([
  ['complete', 'text_completion'],
  ['embed', 'embeddings'],
])

export function operationWord(operation: string): string {
  return operationWords.get(operation) ?? operation
}

/** The conventions' name of a provider by its name in the settings, or that name if they have none. */
export type ProviderName = (provider: string) => string
