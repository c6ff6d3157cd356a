import { objectOf, type OperationName } from '@sluice/contract'
import { largestOf } from './measure.ts'
import type { NewValue, NativeTarget, Reports } from './native-target.ts'

/** The names of the limit of the output in the formats of clients and upstreams. */
export const limitsOf = {
  chat: [['max_completion_tokens'], ['max_tokens']],
  maxTokens: [['max_tokens']],
  responses: [['max_output_tokens']],
  // Google reads both spellings of a name.
  gemini: ['generationConfig', 'generation_config'].flatMap((config) =>
    ['maxOutputTokens', 'max_output_tokens'].map((name) => [config, name] as const),
  ),
  bedrock: [['inferenceConfig', 'maxTokens']],
} as const satisfies Readonly<Record<string, readonly NewValue['path'][]>>

const everyLimit: readonly NewValue['path'][] = Object.values(limitsOf).flat()

/** How the requests of a client format limit their output. */
export interface OutputLimit {
  /** The most output tokens that a request allows for each choice; undefined if it does not limit them. */
  of(request: unknown): number | undefined
  /** The change that limits them in a request without a limit. */
  set(request: unknown, tokens: number): NewValue
}

/** A limit in a field at the top of the request, or in one that older clients have. */
export function limitField(name: string, ...older: readonly string[]): OutputLimit {
  return {
    of(request) {
      const fields = objectOf(request)
      return largestOf(fields[name], ...older.map((other) => fields[other]))
    },
    set: (_request, tokens) => ({ path: [name], value: tokens }),
  }
}

/** The limit of the output in the body of any request; undefined if it has none. The least of several. */
export function outputLimitIn(body: unknown): number | undefined {
  const found = everyLimit.flatMap((path) => limitAt(body, path) ?? [])
  return found.length === 0 ? undefined : Math.min(...found)
}

function limitAt(body: unknown, [first, second]: NewValue['path']): number | undefined {
  const outer = objectOf(body)[first]
  const value = second === undefined ? outer : objectOf(outer)[second]
  return typeof value === 'number' ? value : undefined
}

/** The limits in a request that are above what the target writes, lowered to that and reported. */
export function loweredLimits(
  request: unknown,
  paths: readonly NewValue['path'][],
  { outputTokensMax, leftOut }: NativeTarget,
): readonly NewValue[] {
  return paths.flatMap((path) => {
    const asked = limitAt(request, path)
    const most = asked === undefined ? undefined : outputTokensMax()
    if (asked === undefined || most === undefined || asked <= most) return []
    leftOut(path.join('.'), atMost(most))
    return [{ path, value: most }]
  })
}

/** Why a limit of the output is lowered. */
function atMost(tokens: number): string {
  return `at most ${tokens} tokens are written here`
}

/** What an upstream's refusal tells about the output that it accepts. */
export interface OutputMaximum {
  /** The most tokens that it accepts for this request. */
  readonly tokens: number
  /** Set if it follows from the length of the prompt: the tokens of prompt and output together. */
  readonly window?: number
}

/**
 * Reads the message of a refusal of a request whose limit of the output was `sent`. Such messages are sentences and not codes,
 * so only two kinds are read: those that state a window and the size of the prompt, and those that speak of the limit, with
 * one smaller number that is said to be the bound, or beside the number that was sent. Undefined for all others.
 */
export function outputMaximumIn(message: string, sent: number): OutputMaximum | undefined {
  const text = message
    .slice(0, messageLengthMax)
    .replace(grouped, (digits) => digits.replaceAll(',', ''))
  const together = windowIn(text)
  if (together !== undefined) {
    const tokens = together.window - together.prompt
    return tokens >= 1 && tokens < sent ? { tokens, window: together.window } : undefined
  }
  if (!aboutOutput.test(text)) return undefined
  const tokens = boundIn(text, sent) ?? besideSent(text, sent)
  return tokens !== undefined && tokens >= 1 && tokens < sent ? { tokens } : undefined
}

/** Thousands with commas, but not two numbers of a range. */
const grouped = /(?<![[(\w.])\d{1,3}(?:,\d{3})+(?!\w)/g

/** Longer messages quote something. */
const messageLengthMax = 2_000

const aboutOutput =
  /max[ _-]?(completion|output|new)?[ _-]?tokens|maximum (number of )?(completion |output |new )?tokens|(completion|output|generated) tokens/i

/**
 * The window and the prompt's size, in the words of OpenAI and older vLLM, vLLM, Anthropic, and text-generation-inference. A
 * prompt of "at least" a number is not measured.
 */
const windows: readonly RegExp[] = [
  /context length is (?<window>\d+) tokens.{0,60}?requested \d+ tokens \((?<prompt>\d+) in (?:the|your) (?:messages|prompt|input)/is,
  /context length is +(?<window>\d+) tokens and your request has (?<prompt>\d+) input tokens/i,
  /context length is (?<window>\d+) tokens.{0,40}?requested \d+ output tokens and your (?:prompt|request) (?:contains|has) (?<prompt>\d+) input tokens/is,
  /exceed context limit: (?<prompt>\d+) \+ \d+ > (?<window>\d+)/i,
  /must be <= (?<window>\d+)\. Given: (?<prompt>\d+) `?inputs`? tokens/i,
]

function windowIn(text: string): { readonly window: number; readonly prompt: number } | undefined {
  for (const pattern of windows) {
    const { window, prompt } = pattern.exec(text)?.groups ?? {}
    if (window !== undefined && prompt !== undefined)
      return { window: Number(window), prompt: Number(prompt) }
  }
  return undefined
}

/**
 * A number that is said to be the bound: OpenAI, Anthropic, Gemini, Groq, DeepSeek and Alibaba, Bedrock, Volcengine. What is
 * below the bound has to be less than it.
 */
const bounds: readonly (readonly [RegExp, 'including' | 'below'])[] = [
  [/supported range is from \d+ \(inclusive\) to (\d+) \(exclusive\)/i, 'below'],
  [/(?:range|between)[^.]{0,60}?[[( ]\d+ ?(?:,|to|and|-) ?(\d+)[\])]?/i, 'including'],
  [/at most (\d+)/i, 'including'],
  [/\d+ > (\d+), which is the maximum/i, 'including'],
  [/less than or equal to [`'"]?(\d+)/i, 'including'],
  [/<= ?[`'"]?(\d+)/i, 'including'],
  [
    /(?:exceeds?|above|over|beyond) (?:the )?[\w ]{0,40}?(?:limit|maximum)[\w ]{0,20}? (?:of|is)?[ :(]*(\d+)/i,
    'including',
  ],
  [
    /(?:maximum|limit|max)(?: (?:allowed|supported))?(?: value)? (?:of|is) [`'"]?(\d+)/i,
    'including',
  ],
  [/(?:must|should) be (?:less|lower|smaller) than [`'"]?(\d+)/i, 'below'],
]

function boundIn(text: string, sent: number): number | undefined {
  for (const [pattern, kind] of bounds) {
    const found = pattern.exec(text)?.[1]
    if (found === undefined) continue
    const bound = Number(found)
    if (bound <= sent) return kind === 'below' ? bound - 1 : bound
  }
  return undefined
}

/** Smaller numbers than this are versions, positions or minima. */
const boundMin = 16

/** The one smaller number in a text that also has the number that was sent. Numbers in names do not count. */
function besideSent(text: string, sent: number): number | undefined {
  if (/minimum|at least|>=|greater than/i.test(text)) return undefined
  const numbers = [...text.matchAll(/(?<![\w.-])\d+(?![\w-]|\.\d)/g)].map(([digits]) =>
    Number(digits),
  )
  if (!numbers.includes(sent)) return undefined
  const smaller = new Set(numbers.filter((number) => number >= boundMin && number < sent))
  const [only] = smaller
  return smaller.size === 1 ? only : undefined
}

/**
 * A request to translate with its limit lowered to what the target writes, or with `limit`, which the gateway sets; the same one
 * if nothing is to be changed.
 */
export function withinOutput<R extends object>(
  operation: OperationName,
  request: R,
  {
    limit,
    outputTokensMax: most,
    leftOut,
  }: Pick<Reports, 'leftOut'> & {
    readonly limit: number | undefined
    readonly outputTokensMax: number | undefined
  },
): R {
  const field = operation === 'complete' ? 'max_tokens' : 'max_completion_tokens'
  if (limit !== undefined) return { ...request, [field]: Math.min(limit, most ?? limit) }
  const asked = limitAt(request, [field])
  if (most === undefined || asked === undefined || asked <= most) return request
  leftOut(field, atMost(most))
  return { ...request, [field]: most }
}
