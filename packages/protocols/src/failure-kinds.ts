import { GatewayError } from '@sluice/contract'
import { isLargerThanLimit } from './rate-limits.ts'

/**
 * What a refusal of an upstream is about, for which every API has a code or words of its own: the prompt does not fit into the
 * model's context; the content is blocked; the account has no money or quota left; too many requests.
 */
type FailureKind = 'context' | 'content' | 'quota' | 'rate'

interface KindRow {
  readonly kind: FailureKind
  /** Codes, types and statuses. */
  readonly codes: RegExp
  /** Messages. */
  readonly words: RegExp
}

/** The first matching row decides. Public documentation and bug reports of the providers named. */
const rows: readonly KindRow[] = [
  {
    kind: 'context',
    codes:
      /^(?:context_length_exceeded|context_window_exceeded|context_too_large|ContextWindowExceededError|exceed_context_size_error|model_max_prompt_tokens_exceeded|tokens_limit_reached|input_too_long|prompt_too_long|1261)$/i,
    words: anyOf([
      // OpenAI, Azure, DeepSeek, Groq, OpenRouter, vLLM, SGLang, Together, Cerebras.
      /maximum context length (?:is|of)/,
      /(?:exceeds?|exceeded|exceeding|longer than|larger than|beyond) (?:the |this |its |your )?(?:model'?s?'? )?(?:maximum |max |available |allowed |loaded )?context ?(?:length|window|size|limit)/,
      /context (?:length|window|size)(?: limit)? (?:is |has been |was )?exceed/,
      /context length is (?:only )?[\d,]+/,
      /longer than the maximum model length/,
      /input tokens exceed the configured limit/,
      /current length is [\d,]+ while limit is/,
      // Anthropic, Bedrock, Ollama, Fireworks.
      /(?:prompt|input) is too long/,
      /exceeds? context limit/,
      /too many input tokens|input tokens exceeded|number of input tokens exceeds/,
      // Gemini and Vertex.
      /input token count .{0,80}?(?:exceeds the maximum|only supports up to)/,
      // Cohere, Mistral, xAI, Copilot.
      /too many tokens: total number of tokens/,
      /too large for model with [\d,]+ maximum context length/,
      /maximum prompt length is [\d,]+/,
      /prompt token count of [\d,]+ exceeds/,
      // LM Studio, text-generation-inference, Moonshot, DashScope, Zhipu, Volcengine, Qianfan.
      /context the overflows|tokens to keep from the initial prompt is greater than the context/,
      /`?inputs`? (?:tokens \+ `?max_new_tokens`? must be|must have less than)/,
      /exceeded model token limit/,
      /range of input length should be/,
      /input length exceeds|prompt exceeds max length|prompt ?超长|输入(?:内容)?(?:长度)?(?:超长|过长|超过)/,
      /total tokens of .{0,40}? exceed max message tokens/,
      /prompt tokens? (?:is |are )?too long/,
    ]),
  },
  {
    kind: 'content',
    codes:
      /^(?:content_filter|content_policy_violation|moderation_blocked|ResponsibleAIPolicyViolation|invalid_prompt|data_?inspection_?failed|SensitiveContentDetected.*|InputTextSensitiveContentDetected.*|OutputTextSensitiveContentDetected.*|censorship_blocked|1301|SAFETY|PROHIBITED_CONTENT)$/i,
    words: anyOf([
      // Azure, Anthropic and Bedrock.
      /content management policy|content filtering policy|blocked by (?:the )?content filter/,
      // OpenAI, Google and xAI.
      /flagged as potentially violating|violates? (?:our|google's|the|xai's)?.{0,30}?(?:usage polic|usage guidelines|content polic|responsible ai|safety polic)/,
      /sensitive words that violate/,
      // OpenRouter, DeepSeek, Moonshot, DashScope, Zhipu and MiniMax.
      /requires moderation|input was flagged/,
      /^content exists risk/,
      /rejected because it was considered high risk/,
      /may contain inappropriate content|input(?: new)?[ _]sensitive|output(?: new)?[ _]sensitive|不安全或敏感内容/,
    ]),
  },
  {
    // OpenAI's `insufficient_quota` comes with status 429, by which the gateway knows it.
    kind: 'quota',
    codes:
      /^(?:exceeded_current_quota_error|billing_hard_limit_reached|insufficient_(?:user_)?(?:balance|credits?|funds)|InsufficientBalance|arrearage|AccountOverdue(?:Error)?|AllocationQuota\..+|billing_error|1113)$/i,
    words: anyOf([
      /credit balance is too low/,
      /insufficient (?:account )?(?:balance|credits?|funds)/,
      /(?:out of|used all available|run out of|no) credits/,
      /余额不足|欠费/,
    ]),
  },
  {
    kind: 'rate',
    codes:
      /^(?:rate_limit(?:_exceeded|_error|_reached_error)?|RateLimitReached|too_many_requests|Throttling(?:Exception|\..+)?|RESOURCE_EXHAUSTED|1302|1303|1305)$/i,
    words: anyOf([
      /rate limit (?:exceeded|reached|has been)/,
      /too many requests/,
      /request was throttled/,
    ]),
  },
]

function anyOf(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => `(?:${source})`).join('|'), 'i')
}

/** Longer messages quote something. */
const messageLengthMax = 2_000

/** What an upstream's error is about, as far as its code or its words tell; undefined for all others. */
export function failureKind(code: string | undefined, message: string): FailureKind | undefined {
  const said = message.slice(0, messageLengthMax)
  const byCode = code === undefined ? undefined : rows.find(({ codes }) => codes.test(code))
  return (byCode ?? rows.find(({ words }) => words.test(said)))?.kind
}

/** Codes of the API of OpenAI's clients that say why content was blocked. */
const contentCodes =
  /^(?:content_filter|content_policy_violation|invalid_prompt|moderation_blocked)$/

/** Errors that upstreams may report in words of their own. */
const readable: ReadonlySet<string> = new Set([
  'upstream_rejected',
  'upstream_unavailable',
  'upstream_refused_us',
  'upstream_rate_limited',
])

/**
 * An upstream's error as what it is about, whatever its status was: whole, in a stream or in a body with status 200. A prompt that is
 * too long and blocked content are the caller's to change (400, with the code that clients act upon), missing quota is the
 * account's, and a rate limit ends. Every other error is returned as it is.
 */
export function recognized(error: GatewayError, provider: string): GatewayError {
  const { code, message, details } = error
  if (!readable.has(code)) return error
  const said = typeof details.cause === 'string' ? details.cause : message
  switch (failureKind(details.upstreamCode, said)) {
    case 'context':
      return rejected(error, said, 'context_length_exceeded')
    case 'content':
      return rejected(
        error,
        said,
        contentCodes.exec(details.upstreamCode ?? '')?.[0] ?? 'content_policy_violation',
      )
    case 'quota':
      return code === 'upstream_refused_us' ? error : withoutQuota(error, provider)
    case 'rate':
      return isHiddenLimit(error) && !isLargerThanLimit(said)
        ? withCode(error, 'upstream_rate_limited', message)
        : error
    default:
      return error
  }
}

/** Whether a status that is not 429 may stand for a rate limit. With 413 the request alone is too large. */
function isHiddenLimit({ code, details: { upstreamStatus: status } }: GatewayError): boolean {
  if (code === 'upstream_rejected') return status === undefined || status === 400
  return code === 'upstream_unavailable' && status !== 503 && status !== 529
}

function rejected(error: GatewayError, message: string, publicCode: string): GatewayError {
  const { retryAfterMs: _, ...details } = error.details
  return new GatewayError('upstream_rejected', message, { ...details, status: 400, publicCode })
}

function withoutQuota(error: GatewayError, provider: string): GatewayError {
  const status = error.details.upstreamStatus
  const told = status === undefined ? '' : ` (${status})`
  const message = `${provider} refused the gateway’s credential or account${told}`
  return withCode(error, 'upstream_refused_us', message)
}

/** The same without what was only true of the old code. */
function withCode(
  { details }: GatewayError,
  code: 'upstream_refused_us' | 'upstream_rate_limited',
  message: string,
): GatewayError {
  const {
    status: _,
    publicCode: __,
    param: ___,
    isOwnLimit: ____,
    isFinal: _____,
    ...rest
  } = details
  return new GatewayError(code, message, rest)
}
