import type { CodecContext } from '../protocol.ts'

/** The header by which callers ask for features that are not generally available. */
export const betaHeader = 'anthropic-beta'

/** Where Claude runs besides Anthropic's own API, which takes every beta. */
type Platform = 'vertex' | 'bedrock'

const both: readonly Platform[] = ['vertex', 'bedrock']
const vertex: readonly Platform[] = ['vertex']
const bedrock: readonly Platform[] = ['bedrock']

/**
 * The betas that each platform takes; it refuses a request with any other (https://platform.claude.com/docs/en/api/beta-headers;
 * Amazon Bedrock user guide, Claude Messages API, `anthropic_beta`; what clients report).
 */
const platformsOf: Readonly<Record<string, readonly Platform[]>> = {
  'claude-code-20250219': vertex,
  'compact-2026-01-12': both,
  'compact-2026-09-04': vertex,
  'computer-use-2024-10-22': bedrock,
  'computer-use-2025-01-24': both,
  'computer-use-2025-11-24': both,
  'context-1m-2025-08-07': both,
  'context-management-2025-06-27': both,
  'dangerous-tool-use-2026-09-03': vertex,
  'dev-full-thinking-2025-05-14': bedrock,
  'effort-2025-11-24': bedrock,
  'interleaved-thinking-2025-05-14': both,
  'output-128k-2025-02-19': bedrock,
  'per-turn-control-2026-07-01': vertex,
  'thinking-binding-controls-2026-08-01': vertex,
  'thinking-display-updates-2026-08-18': vertex,
  'token-efficient-tools-2025-02-19': bedrock,
  'tool-examples-2025-10-29': bedrock,
  'tool-search-tool-2025-10-19': both,
  'web-search-2025-03-05': vertex,
}

/** What a platform calls a beta, where that is not Anthropic's own name for it (Claude docs, tool search tool). */
const ownNames: Readonly<Record<Platform, Readonly<Record<string, string>>>> = {
  vertex: { 'advanced-tool-use-2025-11-20': 'tool-search-tool-2025-10-19' },
  // Converse has no search of tools.
  bedrock: {},
}

/** The values of the header. */
export function betasIn(header: string | undefined): readonly string[] {
  return (header ?? '')
    .split(',')
    .map((beta) => beta.trim())
    .filter((beta) => beta !== '')
}

/** Those of the betas that a platform takes, by its names for them. If it does not take all, the header is reported. */
export function takenBetas(
  asked: readonly string[],
  platform: Platform,
  leftOut: (name: string) => void,
): readonly string[] {
  const own = ownNames[platform]
  const named = asked.map((beta) => (Object.hasOwn(own, beta) ? (own[beta] ?? beta) : beta))
  const taken = named.filter((beta) => takes(platform, beta))
  if (taken.length < asked.length) leftOut(betaHeader)
  return [...new Set(taken)]
}

function takes(platform: Platform, beta: string): boolean {
  return Object.hasOwn(platformsOf, beta) && platformsOf[beta]?.includes(platform) === true
}

/** The betas that the caller asks for. */
export function askedBetas({ headers }: Pick<CodecContext, 'headers'>): readonly string[] {
  return betasIn(headers?.[betaHeader])
}

/**
 * Whether Claude thinks between calls, so that a budget is for all responses of a turn and may exceed the limit of each (Claude docs,
 * interleaved thinking).
 */
export function thinksBetweenCalls(
  { tools }: { readonly tools?: readonly unknown[] | null | undefined },
  betas: readonly string[],
): boolean {
  return (tools?.length ?? 0) > 0 && betas.some((beta) => beta.startsWith('interleaved-thinking'))
}

/** Reports the betas that a caller asks for where another maker's model answers. */
export function reportBetas(context: Pick<CodecContext, 'headers' | 'leftOut'>): void {
  if (askedBetas(context).length > 0) context.leftOut(betaHeader)
}
