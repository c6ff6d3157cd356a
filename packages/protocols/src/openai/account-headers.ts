import type { CodecContext } from '../protocol.ts'

/**
 * Headers with ids of an account at OpenAI: whom a request is billed to (https://platform.openai.com/docs/api-reference/authentication).
 * Requests use the gateway's own account, in which the caller's ids mean nothing or belong to others.
 */
export const accountHeaders: readonly string[] = ['openai-organization', 'openai-project']

/** Names those of a request that another format or another operation's codec cannot express. */
export function reportAccount({
  headers = {},
  leftOut,
}: Pick<CodecContext, 'headers' | 'leftOut'>): void {
  for (const name of accountHeaders) if (headers[name] !== undefined) leftOut(name)
}
