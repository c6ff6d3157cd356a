/**
 * Requests that vLLM with an open model refuses with status 400: unknown fields are accepted, but the model's template takes
 * only one system message, at the beginning, and no developer messages; the arguments of calls are parsed as JSON.
 */

type Fields = Readonly<Record<string, unknown>>

/** The served model's maximum number of tokens, prompt and output together. */
const contextTokensMax = 131_072

/** The server's error message for the first rule that a request breaks; undefined for a valid request. */
export function brokenOpenModelRule(body: Fields): string | undefined {
  const tokens = Math.ceil(JSON.stringify(body).length / 4)
  const most = Number(body['max_completion_tokens'] ?? body['max_tokens'] ?? 0)
  if (tokens + most > contextTokensMax)
    return `'max_tokens' or 'max_completion_tokens' is too large: ${most}. This model's maximum context length is ${contextTokensMax} tokens and your request has ${tokens} input tokens.`
  const effort = body['reasoning_effort']
  if (effort !== undefined && !['none', 'low', 'medium', 'high'].includes(String(effort)))
    return `1 validation error: reasoning_effort: Input should be 'none', 'low', 'medium' or 'high', got ${String(effort)}`
  const tools = (body['tools'] ?? []) as readonly Fields[]
  if (tools.some(({ type }) => type !== 'function'))
    return "1 validation error: tools.0.type: Input should be 'function'"
  return brokenMessages(body['messages'] as readonly Fields[])
}

function brokenMessages(messages: readonly Fields[]): string | undefined {
  for (const [at, { role, tool_calls: calls }] of messages.entries()) {
    if (role === 'system' && at > 0) return 'System message must be at the beginning.'
    if (!['system', 'user', 'assistant', 'tool'].includes(String(role)))
      return 'Unexpected message role.'
    for (const call of (calls ?? []) as readonly { readonly function: Fields }[])
      if (!isObjectText(String(call.function['arguments'])))
        return 'Expecting value: line 1 column 1 (char 0)'
  }
  return undefined
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
