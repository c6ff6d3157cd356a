/** The headers of an API's responses that its clients read, besides those that every response of the gateway has. */
export interface FormatHeaders {
  /** Has the same value as `x-request-id`. */
  readonly requestId?: string
  /** The time from the request to the response, in milliseconds. */
  readonly processingMs?: string
  /** Headers with one value for all responses, names and values alternating. */
  readonly constant?: readonly string[]
  /** Told besides `x-ratelimit-*`. Their reset is a time (RFC 3339). */
  readonly limits?: Readonly<Record<'requests' | 'tokens', readonly LimitHeaders[]>>
}

/** The names of the headers for one rate limit. */
export interface LimitHeaders {
  readonly limit: string
  readonly remaining: string
  readonly reset: string
}

const limitHeaders = (what: string): LimitHeaders => ({
  limit: `anthropic-ratelimit-${what}-limit`,
  remaining: `anthropic-ratelimit-${what}-remaining`,
  reset: `anthropic-ratelimit-${what}-reset`,
})

/**
 * Of Anthropic's API (https://platform.claude.com/docs/en/api/rate-limits, response headers). A limit of the gateway counts
 * tokens of both kinds, so it is also the most that a caller may use of either.
 */
export const anthropicHeaders: FormatHeaders = {
  requestId: 'request-id',
  limits: {
    requests: [limitHeaders('requests')],
    tokens: ['tokens', 'input-tokens', 'output-tokens'].map(limitHeaders),
  },
}

/** Of OpenAI's API (API reference, debugging requests). Its clients read `x-ratelimit-*` and `x-request-id`. */
export const openAiHeaders: FormatHeaders = {
  processingMs: 'openai-processing-ms',
  constant: ['openai-version', '2020-10-01'],
}
