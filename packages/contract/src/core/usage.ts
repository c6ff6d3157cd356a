/**
 * What one call used, in one normal form. Details are subsets of the totals, never additions
 * (OpenAI Chat API, CompletionUsage): cached and audio tokens are inside `inputTokens`, reasoning inside `outputTokens`.
 */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens?: number
  readonly cacheWriteTokens?: number
  /** Of those, the ones that are kept for an hour, which cost more. */
  readonly longCacheWriteTokens?: number
  readonly audioInputTokens?: number
  readonly imageInputTokens?: number
  readonly reasoningTokens?: number
  readonly audioOutputTokens?: number
  readonly imageOutputTokens?: number
  /** Seconds of audio or video, where that is what is paid for. */
  readonly seconds?: number
  readonly images?: number
  readonly searchUnits?: number
  /**
   * How often tools that the provider runs itself ran, by the name of the tool (`web_search`, `code_execution`), for these
   * are paid for by the call. `source` counts the sources that a search has used, where that is what is paid for.
   */
  readonly serverToolCalls?: Readonly<Record<string, number>>
  /** Tokens that are charged, where the provider says that they are others than those it counted; none of them cached. */
  readonly billedInputTokens?: number
  readonly billedOutputTokens?: number
  /** Characters of a text that was spoken. */
  readonly characters?: number
  /** Of a picture, a video or a search, as it was asked for, where that is what the price depends on. */
  readonly size?: string
  readonly quality?: string
  /** What the provider says of how it was served, such as `flex`: it may cost less or more than usual. */
  readonly serviceTier?: string
}

/** The counts of both, a later one in place of an earlier one; undefined where there is none above 0. */
export function serverToolCounts(
  ...counts: readonly (Readonly<Record<string, number>> | undefined)[]
): Pick<Usage, 'serverToolCalls'> {
  const all = Object.entries(Object.assign({}, ...counts) as Record<string, number>)
  const known = all.filter(([, count]) => count > 0)
  return known.length === 0 ? {} : { serverToolCalls: Object.fromEntries(known) }
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 }

/** `incomplete`: the stream was cut after content had been delivered. */
export type CallOutcome = 'completed' | 'failed' | 'cancelled' | 'incomplete'

/** One row per attempt at an upstream: the answer the caller got, a failed try, or the loser of a hedge. */
export interface UsageRecord extends Usage {
  readonly callId: string
  /** What the caller called its request, which need not be unique. */
  readonly requestId?: string
  readonly attempt: number
  readonly keyId: string
  /** Who the key belongs to, where it belongs to somebody. */
  readonly userId?: string
  readonly teamId?: string
  readonly organizationId?: string
  /** What the call is billed by; each once. */
  readonly tags?: readonly string[]
  /** The network address that the request came from. */
  readonly clientAddress?: string
  readonly operation: string
  /** The client format in which the caller said it, such as `messages`. */
  readonly format?: string
  /** The caller asked for a stream. */
  readonly streamed?: boolean
  /** The model as the caller named it, where the target is called otherwise. */
  readonly requestedModel?: string
  readonly provider: string
  readonly model: string
  readonly outcome: CallOutcome
  /** False where the upstream never said what was used, so that zeros are not taken for facts. */
  readonly reported: boolean
  /** True where the tokens are this gateway's estimate of what was delivered, since nobody said them. */
  readonly estimated?: boolean
  /** True where the process that made the attempt died before it was over: this is what was known then. */
  readonly unsettled?: boolean
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly durationMs: number
  /** From the start of the attempt to the first content of its stream, in milliseconds. */
  readonly firstTokenMs?: number
  /** What a caller is told of such an end: 200, or the status of the error. */
  readonly status?: number
  /** Of a failure: the public code of the error, what happened in words, and the status that the upstream answered with. */
  readonly errorCode?: string
  readonly reason?: string
  readonly upstreamStatus?: number
  /** What the upstream calls the request. */
  readonly upstreamRequestId?: string
  /** Paths of fields that were left out of the request to the upstream, and names of what was left out of the answer. */
  readonly dropped?: readonly string[]
  /** Millionths of a dollar; absent where nobody knows the price, which is never the same as 0. */
  readonly costMicroUsd?: number
  /** Where the price stands, and the day on which that was so (YYYY-MM-DD). */
  readonly priceSource?: string
  readonly priceDate?: string
  /** What budgets had put aside for the call, in millionths of a dollar; absent where none counted it. */
  readonly reservedMicroUsd?: number
  /** The id of the budget that had no money for what was asked, and sent the call here. */
  readonly overBudget?: string
}
