/** Requests that OpenAI's chat completions refuse with status 400, so that fake upstreams are no more lenient than the API. */
import { names, unknownIn, unknownOfKind } from './known-fields.ts'

type Fields = Readonly<Record<string, unknown>>

const fields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'temperature',
  'top_p',
  'n',
  'stream',
  'stream_options',
  'stop',
  'max_completion_tokens',
  'max_tokens',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'reasoning_effort',
  'verbosity',
  'modalities',
  'audio',
  'service_tier',
  'store',
  'metadata',
  'seed',
])

/** `annotations` is not a request field, but clients send it back when they append a response's message to the history. */
const messageFields: ReadonlySet<string> = new Set([
  'annotations',
  'role',
  'content',
  'name',
  'tool_calls',
  'tool_call_id',
  'refusal',
  'audio',
])

/** The parts of a message's content, and their fields. */
const parts: Readonly<Record<string, ReadonlySet<string>>> = {
  // OpenAI's own Agents SDK sends `annotations` back.
  text: names('type text annotations prompt_cache_breakpoint'),
  refusal: names('type refusal'),
  image_url: names('type image_url prompt_cache_breakpoint'),
  input_audio: names('type input_audio prompt_cache_breakpoint'),
  file: names('type file prompt_cache_breakpoint'),
}

const partsOfRoles: Readonly<Record<string, ReadonlySet<string>>> = {
  user: names('text image_url input_audio file'),
  assistant: names('text refusal'),
  system: names('text'),
  developer: names('text'),
  tool: names('text'),
}

/** What the models that may answer at once take unless they are to think (OpenAI, using GPT-5.2: parameter compatibility). */
const atOnce = /^gpt-5\.\d(?!-(codex|pro|chat))/
const sampling = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty']

/** The fields that a family of models refuses, by a pattern for the models' names. */
const refusals: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(o\d|gpt-5(?!-chat))/, [...sampling, 'logit_bias', 'logprobs', 'top_logprobs', 'max_tokens']],
  [/^o\d/, ['parallel_tool_calls', 'verbosity']],
  [/^(o[3-9]|gpt-5(?!-chat))/, ['stop']],
  [/^o1-mini/, ['reasoning_effort']],
  [/^gpt-([34]|5-chat)/, ['reasoning_effort', 'verbosity']],
]

const efforts: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^o\d/, ['low', 'medium', 'high']],
  [/^gpt-5-pro/, ['high']],
  [/^gpt-5-codex/, ['low', 'medium', 'high']],
  [/^gpt-5(-|$)/, ['minimal', 'low', 'medium', 'high']],
]

function brokenFamily(body: Fields): string | undefined {
  const model = String(body['model'])
  const answersAtOnce = atOnce.test(model) && (body['reasoning_effort'] ?? 'none') === 'none'
  const taken: readonly string[] = answersAtOnce
    ? [...sampling, 'logit_bias', 'logprobs', 'top_logprobs']
    : []
  const refused = refusals.flatMap(([pattern, fields]) => (pattern.test(model) ? fields : []))
  const name = refused.find((field) => field in body && !taken.includes(field))
  if (name !== undefined)
    return `Unsupported parameter: '${name}' is not supported with this model.`
  const { stop } = body
  if (Array.isArray(stop) && stop.length > 4)
    return `Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length ${stop.length} instead.`
  const effort = body['reasoning_effort']
  const known = efforts.find(([pattern]) => pattern.test(model))?.[1]
  if (effort !== undefined && known?.includes(`${effort}`) === false)
    return `Unsupported value: 'reasoning_effort' does not support '${effort}' with this model.`
  return undefined
}

function brokenIds(body: Fields): string | undefined {
  const long = ['user', 'safety_identifier', 'prompt_cache_key'].find(
    (name) => String(body[name] ?? '').length > 64,
  )
  return long && `Invalid '${long}': string too long. Expected a string with maximum length 64.`
}

function brokenTools(tools: readonly Fields[], model: string): string | undefined {
  for (const [at, tool] of tools.entries()) {
    if (tool['type'] === 'custom' && model.startsWith('gpt-5')) continue
    if (tool['type'] !== 'function')
      return `Invalid value: '${String(tool['type'])}'. tools[${at}].type`
    const unknown =
      unknownIn(tool, names('type function')) ??
      unknownIn(tool['function'], names('name description parameters strict'))
    if (unknown !== undefined) return `Unknown parameter: 'tools[${at}].${unknown}'.`
    const { name, strict, parameters } = tool['function'] as Fields
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(name)))
      return `Invalid 'tools[${at}].function.name': string does not match pattern.`
    if (strict === true && (parameters as Fields)['additionalProperties'] !== false)
      return `Invalid schema for function '${String(name)}': 'additionalProperties' is required to be supplied and to be false.`
  }
  return undefined
}

/** The API's error message for the first rule that a request breaks; undefined for a valid request. */
export function brokenChatRule(body: Fields): string | undefined {
  const unknown = Object.keys(body).find((name) => !fields.has(name))
  if (unknown !== undefined) return `Unrecognized request argument supplied: ${unknown}`
  const isNull = Object.keys(body).find((name) => body[name] === null)
  if (isNull !== undefined) return `Invalid type for '${isNull}': expected a value, but got null`
  if (body['stream'] !== true && 'stream_options' in body)
    return "The 'stream_options' parameter is only allowed when 'stream' is enabled."
  const tools = body['tools'] as readonly Fields[] | undefined
  if (tools?.length === 0) return "Invalid 'tools': empty array."
  if (!tools && ('tool_choice' in body || 'parallel_tool_calls' in body))
    return "'tool_choice' is only allowed when 'tools' are specified."
  if ('metadata' in body && body['store'] !== true)
    return "The 'metadata' parameter is only allowed when 'store' is enabled."
  return (
    brokenFamily(body) ??
    brokenIds(body) ??
    brokenTools(tools ?? [], String(body['model'])) ??
    brokenMessages(body['messages'] as readonly Fields[])
  )
}

function brokenMessages(messages: readonly Fields[]): string | undefined {
  let open: string[] = []
  for (const [at, message] of messages.entries()) {
    const path = `messages[${at}]`
    const unknown = Object.keys(message).find((name) => !messageFields.has(name))
    if (unknown !== undefined) return `Unknown parameter: '${path}.${unknown}'.`
    const { role, content, tool_call_id: id } = message
    if (role === 'tool') {
      if (!open.includes(String(id)))
        return `Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'. ${path}.role`
      open = open.filter((other) => other !== id)
    } else if (open.length > 0)
      return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join()}`
    const calls = message['tool_calls'] as readonly Fields[] | undefined
    if (content == null && !calls?.length)
      return `Invalid value for 'content': expected a string, got null. ${path}.content`
    if (Array.isArray(content) && content.length === 0)
      return `Invalid '${path}.content': empty array.`
    if (calls?.length === 0) return `Invalid '${path}.tool_calls': empty array.`
    const broken =
      brokenParts(message, path) ??
      (calls ?? []).map((call) => brokenCall(call, path)).find(Boolean)
    if (broken !== undefined) return broken
    open.push(...(calls ?? []).map((call) => String(call['id'])))
  }
  return open.length === 0 ? undefined : `No response messages for ${open.join()}`
}

function brokenParts({ role, content }: Fields, path: string): string | undefined {
  if (!Array.isArray(content)) return undefined
  for (const [at, part] of (content as readonly Fields[]).entries()) {
    const type = String(part['type'])
    if (partsOfRoles[String(role)]?.has(type) !== true)
      return `Invalid value: '${type}'. ${path}.content[${at}].type`
    const unknown = unknownOfKind(part, parts, type)
    if (unknown !== undefined) return `Unknown parameter: '${path}.content[${at}].${unknown}'.`
  }
  return undefined
}

function brokenCall(call: Fields, path: string): string | undefined {
  if (call['type'] === 'custom') return brokenCustomCall(call, path)
  if (call['type'] !== 'function') return `Missing required parameter: '${path}.tool_calls[0].type'`
  const unknown = Object.keys(call).find((name) => !['id', 'type', 'function'].includes(name))
  if (unknown !== undefined) return `Unknown parameter: '${path}.tool_calls[0].${unknown}'.`
  if (String(call['id']).length > 40) return `Invalid '${path}.tool_calls[0].id': string too long`
  const { name, arguments: text } = call['function'] as Fields
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(name))) return `Invalid '${path}.tool_calls[0]' name`
  return typeof text === 'string' ? undefined : `Invalid type for '${path}.tool_calls[0]' arguments`
}

function brokenCustomCall({ custom, ...call }: Fields, path: string): string | undefined {
  const unknown = Object.keys(call).find((name) => name !== 'id' && name !== 'type')
  if (unknown !== undefined) return `Unknown parameter: '${path}.tool_calls[0].${unknown}'.`
  const { name, input } = (custom ?? {}) as Fields
  return typeof name === 'string' && typeof input === 'string'
    ? undefined
    : `Missing required parameter: '${path}.tool_calls[0].custom'`
}
