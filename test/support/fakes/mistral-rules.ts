/**
 * Requests that Mistral's chat completions refuse with status 400 or 422, so that fake upstreams are no more lenient than the API
 * (https://docs.mistral.ai/api; errors reported by users).
 */
import { names, unknownIn, unknownOfKind } from './known-fields.ts'

type Fields = Readonly<Record<string, unknown>>

const fields =
  names(`frequency_penalty guardrails max_tokens messages metadata model n parallel_tool_calls
  prediction presence_penalty prompt_mode random_seed reasoning_effort response_format safe_prompt stop stream
  temperature tool_choice tools top_p`)

const messageFields: Readonly<Record<string, ReadonlySet<string>>> = {
  system: names('role content'),
  user: names('role content'),
  assistant: names('role content tool_calls prefix'),
  tool: names('role content tool_call_id name'),
}

const parts: Readonly<Record<string, ReadonlySet<string>>> = {
  text: names('type text'),
  image_url: names('type image_url'),
  document_url: names('type document_url document_name'),
  input_audio: names('type input_audio'),
  thinking: names('type thinking closed'),
  reference: names('type reference_ids'),
  file: names('type file_id'),
}

/** The API's error message for the first rule that a request breaks; undefined for a valid request. */
export function brokenMistralRule(body: Fields): string | undefined {
  const unknown = unknownIn(body, fields)
  if (unknown !== undefined) return extra(unknown)
  const effort = body['reasoning_effort']
  if (effort !== undefined) {
    if (!/^(mistral-(small|medium)|magistral-small)/.test(String(body['model'])))
      return 'reasoning_effort is not enabled for this model'
    if (effort !== 'none' && effort !== 'high')
      return `reasoning_effort='${String(effort)}' is not supported for this model. Must be one of (<ReasoningEffort.none: 'none'>, <ReasoningEffort.high: 'high'>)`
  }
  const { temperature } = body
  if (temperature !== undefined && !(Number(temperature) >= 0 && Number(temperature) <= 1.5))
    return 'Input should be less than or equal to 1.5'
  const choice = body['tool_choice']
  if (typeof choice === 'string' && !['auto', 'none', 'any', 'required'].includes(choice))
    return `Input should be 'auto', 'none', 'any' or 'required', got ${choice}`
  return (
    brokenTools((body['tools'] ?? []) as readonly Fields[]) ??
    brokenMessages(body['messages'] as readonly Fields[])
  )
}

const extra = (path: string) => `Extra inputs are not permitted: ${path}`

function brokenTools(tools: readonly Fields[]): string | undefined {
  for (const tool of tools) {
    const { type, function: declared } = tool
    if (type !== 'function') return `Input tag '${String(type)}' found using 'type'`
    const unknown =
      unknownIn(tool, names('type function')) ??
      unknownIn(declared, names('name description strict parameters'))
    if (unknown !== undefined) return extra(`tools.${unknown}`)
    const { name, parameters } = declared as Fields
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(name)))
      return `Function name was ${String(name)} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.`
    if (typeof parameters !== 'object') return 'Field required: parameters'
  }
  return undefined
}

function brokenMessages(messages: readonly Fields[]): string | undefined {
  let open: unknown[] = []
  for (const [at, message] of messages.entries()) {
    const { role, content, tool_calls: calls, tool_call_id: id } = message
    const before = messages[at - 1]?.['role']
    const kind = String(role)
    if (!Object.hasOwn(messageFields, kind)) return `Input tag '${kind}' found using 'role'`
    const unknown = unknownOfKind(message, messageFields, kind) ?? brokenPart(content)
    if (unknown !== undefined) return extra(`messages.${at}.${kind}.${unknown}`)
    if (role === 'tool' && !open.includes(id)) return `Unexpected tool call id ${String(id)}`
    if (role === 'tool') open = open.filter((one) => one !== id)
    else if (open.length > 0) return 'Not the same number of function calls and responses'
    if (role === 'user' && before === 'tool') return "Unexpected role 'user' after role 'tool'"
    if (role === 'system' && before !== undefined && before !== 'system' && before !== 'user')
      return `Unexpected role 'system' after role '${String(before)}'`
    if (role !== 'assistant') continue
    const given = (calls ?? []) as readonly Fields[]
    if (!(content as string | undefined)?.length && given.length === 0)
      return 'Assistant message must have either content or tool_calls, but not none.'
    const broken = given.map(brokenCall).find((one) => one !== undefined)
    if (broken !== undefined) return broken
    open = given.map((call) => call['id'])
    if (at === messages.length - 1 && message['prefix'] !== true)
      return 'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant'
  }
  return open.length === 0 ? undefined : 'Not the same number of function calls and responses'
}

function brokenPart(content: unknown): string | undefined {
  for (const part of (Array.isArray(content) ? content : []) as readonly Fields[]) {
    const type = String(part['type'])
    if (!Object.hasOwn(parts, type)) return `content.${type}`
    const unknown = unknownOfKind(part, parts, type)
    if (unknown !== undefined) return `content.${type}.${unknown}`
  }
  return undefined
}

function brokenCall(call: Fields): string | undefined {
  const unknown =
    unknownIn(call, names('id type function index')) ??
    unknownIn(call['function'], names('name arguments'))
  if (unknown !== undefined) return extra(`tool_calls.${unknown}`)
  const id = String(call['id'])
  if (!/^[a-zA-Z0-9]{9}$/.test(id))
    return `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`
  return undefined
}
