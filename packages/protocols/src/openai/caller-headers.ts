import type { CodecContext } from '../protocol.ts'

/**
 * Headers with ids of an account at OpenAI: whom a request is billed to (https://platform.openai.com/docs/api-reference/authentication).
 * Requests use the gateway's own account, in which the caller's ids mean nothing or belong to others.
 */
export const accountHeaders: readonly string[] = ['openai-organization', 'openai-project']

/** The header by which callers ask for features that are not generally available. */
export const betaHeader = 'openai-beta'

/** Names those headers of a request that another format or another operation's codec cannot express. */
export function reportHeaders({
  headers = {},
  leftOut,
}: Pick<CodecContext, 'headers' | 'leftOut'>): void {
  for (const name of [...accountHeaders, betaHeader]) if (headers[name] !== undefined) leftOut(name)
}
