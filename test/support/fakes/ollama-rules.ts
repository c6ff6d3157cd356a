/**
 * Requests that Ollama's OpenAI-compatible chat refuses with status 400: it ignores unknown fields, but reads messages strictly
 * (ollama/ollama, openai/openai.go).
 */

type Fields = Readonly<Record<string, unknown>>

/** The server's error message for the first rule that a request breaks; undefined for a valid request. */
export function brokenOllamaRule(body: Fields): string | undefined {
  const messages = body['messages'] as readonly Fields[] | undefined
  if (!messages?.length) return "[] is too short - 'messages'"
  const effort = body['reasoning_effort'] ?? (body['reasoning'] as Fields | undefined)?.['effort']
  if (effort !== undefined && !['high', 'medium', 'low', 'none'].includes(String(effort)))
    return `invalid reasoning value: '${String(effort)}' (must be "high", "medium", "low", or "none")`
  for (const [at, message] of messages.entries()) {
    const broken = brokenMessage(message, at)
    if (broken !== undefined) return broken
  }
  return undefined
}

function brokenMessage(
  { role, content, tool_calls: calls }: Fields,
  at: number,
): string | undefined {
  // The template of the model, as vllm-rules.ts has it.
  if (role === 'system' && at > 0) return 'System message must be at the beginning.'
  if (!['system', 'user', 'assistant', 'tool'].includes(String(role))) return 'invalid role'
  if (Array.isArray(content)) {
    const known = (content as readonly Fields[]).every(
      ({ type }) => type === 'text' || type === 'image_url' || type === 'input_audio',
    )
    if (!known) return 'invalid message format'
  } else if (content != null && typeof content !== 'string')
    return `invalid message content type: ${typeof content}`
  if (content == null && !(calls as readonly unknown[] | undefined)?.length)
    return 'invalid message content type: <nil>'
  for (const call of (calls ?? []) as readonly { readonly function: Fields }[])
    if (!isObjectText(call.function['arguments'])) return 'invalid tool call arguments'
  return undefined
}

function isObjectText(text: unknown): boolean {
  try {
    const value: unknown = JSON.parse(String(text))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
