/**
 * The usage of one call in a common form. Details are parts of the totals, never additions (OpenAI Chat API, CompletionUsage):
 * cached and audio tokens are part of `inputTokens`, reasoning of `outputTokens`.
 */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens?: number
  readonly cacheWriteTokens?: number
  /** The part of them that is cached for an hour or longer, which costs more. */
  readonly longCacheWriteTokens?: number
  readonly audioInputTokens?: number
  /** The part of `cachedInputTokens` that is audio, which is also a part of `audioInputTokens`. */
  readonly cachedAudioInputTokens?: number
  readonly imageInputTokens?: number
  readonly reasoningTokens?: number
  readonly audioOutputTokens?: number
  readonly imageOutputTokens?: number
  /** Seconds of audio or video, if these are billed. */
  readonly seconds?: number
  readonly images?: number
  readonly searchUnits?: number
  /**
   * How often tools ran that the provider runs itself, by the name of the tool (`web_search`, `code_execution`), because these
   * are billed per call. `source` counts the sources that a search used, if these are billed.
   */
  readonly serverToolCalls?: Readonly<Record<string, number>>
  /** Billed tokens, if the provider reports other numbers than those it counted. None of them are cached. */
  readonly billedInputTokens?: number
  readonly billedOutputTokens?: number
  /** Characters of a text that was spoken. */
  readonly characters?: number
  /** Of an image, a video or a search as requested, if the price depends on it. */
  readonly size?: string
  readonly quality?: string
  /** The service tier that the provider reports, such as `flex`, which may cost less or more than usual. */
  readonly serviceTier?: string
  /** What the provider itself says that the call costs, in US dollars. */
  readonly chargedUsd?: number
}

/** Merges the counts; a later one replaces an earlier one. Empty if none is above 0. */
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

/**
 * One row per attempt at an upstream: the response that the caller got, a failed attempt, or the slower one of a hedged pair.
 */
export interface UsageRecord extends Usage {
  readonly callId: string
  /** The caller's own id of its request, which need not be unique. */
  readonly requestId?: string
  readonly attempt: number
  readonly keyId: string
  /** The owner of the key, if it has one. */
  readonly userId?: string
  readonly teamId?: string
  readonly organizationId?: string
  /** Tags for billing; each once. */
  readonly tags?: readonly string[]
  /** The network address that the request came from. */
  readonly clientAddress?: string
  readonly operation: string
  /** The client format of the request, such as `messages`. */
  readonly format?: string
  /** Whether the caller asked for a stream. */
  readonly streamed?: boolean
  /** The caller's name of the model, if the target has another one. */
  readonly requestedModel?: string
  readonly provider: string
  readonly model: string
  readonly outcome: CallOutcome
  /** False if the upstream never reported its usage, so that zeros are not taken for facts. */
  readonly reported: boolean
  /** Whether the tokens are this gateway's estimate of what was delivered, since nobody reported them. */
  readonly estimated?: boolean
  /** Whether the process that made the attempt died before it was over; the row holds what was known then. */
  readonly unsettled?: boolean
  /** In milliseconds since the epoch. */
  readonly startedAt: number
  readonly durationMs: number
  /** From the start of the attempt to the first content of its stream, in milliseconds. */
  readonly firstTokenMs?: number
  /** The status for the caller: 200, or the status of the error. */
  readonly status?: number
  /** Of a failure: the public code of the error, and a description. */
  readonly errorCode?: string
  readonly reason?: string
  /** The status of the upstream's response; absent if none began. */
  readonly upstreamStatus?: number
  /** The upstream's id of the request. */
  readonly upstreamRequestId?: string
  /** Paths of fields that were left out of the request to the upstream, and names of what was left out of the response. */
  readonly dropped?: readonly string[]
  /** The targets of the call that had not been asked in their turn when this attempt ended, each with a colon and the reason. */
  readonly skipped?: readonly string[]
  /**
   * As `splitMoney` splits it: whole millionths of a dollar, absent if the price is unknown, which is never the same as 0; and
   * the picodollars that they lack, absent if 0. `costOf` joins them.
   */
  readonly costMicroUsd?: number
  readonly costRestPicoUsd?: number
  /** The source of the price, and the day on which it was valid there (YYYY-MM-DD). */
  readonly priceSource?: string
  readonly priceDate?: string
  /** What budgets had reserved for the call, split in the same way; absent if no budget counted it. */
  readonly reservedMicroUsd?: number
  readonly reservedRestPicoUsd?: number
  /** The id of the budget that had too little money for the requested model, so that the call was sent to this one. */
  readonly overBudget?: string
}
