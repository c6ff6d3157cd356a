/** Requests that OpenAI's Responses API refuses with status 400, so that fake upstreams are no more lenient than the API. */
import { names, unknownOfKind } from './known-fields.ts'

type Fields = Readonly<Record<string, unknown>>

const fields: ReadonlySet<string> = new Set(
  `background client_metadata conversation include input instructions max_output_tokens max_tool_calls metadata model
  parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_retention reasoning
  safety_identifier service_tier store stream stream_options temperature text tool_choice tools
  top_logprobs top_p truncation user`.split(/\s+/),
)

/** The fields of each kind of item in a conversation, and the prefix of its id. */
const items: Readonly<Record<string, readonly [prefix: string, fields: readonly string[]]>> = {
  message: ['msg', ['role', 'content', 'status', 'phase']],
  function_call: ['fc', ['call_id', 'name', 'arguments', 'status', 'namespace']],
  function_call_output: ['fc', ['call_id', 'output', 'status']],
  custom_tool_call: ['ctc', ['call_id', 'name', 'input', 'status', 'namespace']],
  custom_tool_call_output: ['ctc', ['call_id', 'output', 'status']],
  reasoning: ['rs', ['summary', 'content', 'encrypted_content', 'status']],
}

/** Reasoning that was issued, by its encrypted content. */
export type IssuedReasoning = ReadonlySet<string>

/** The API's error message for the first rule that a request breaks; undefined for a valid request. */
export function brokenResponsesRule(body: Fields, issued: IssuedReasoning): string | undefined {
  const unknown = Object.keys(body).find((name) => !fields.has(name))
  if (unknown !== undefined) return `Unknown parameter: '${unknown}'.`
  const long = ['user', 'safety_identifier', 'prompt_cache_key'].find(
    (name) => String(body[name] ?? '').length > 64,
  )
  if (long !== undefined) return `Invalid '${long}': string too long.`
  if (Number(body['max_output_tokens'] ?? 16) < 16)
    return "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16."
  const input = body['input'] as string | readonly Fields[] | undefined
  if (!input?.length) return "Missing required parameter: 'input'."
  return (
    brokenFamily(body) ??
    brokenTools((body['tools'] ?? []) as readonly Fields[]) ??
    (typeof input === 'string' ? undefined : (brokenItems(input, issued) ?? brokenCalls(input)))
  )
}

function brokenFamily(body: Fields): string | undefined {
  const reasons = /^(o\d|gpt-5(?!-chat))/.test(String(body['model']))
  const refused = reasons ? ['temperature', 'top_p', 'top_logprobs'] : ['reasoning']
  const name = refused.find((field) => body[field] != null)
  if (name !== undefined)
    return `Unsupported parameter: '${name}' is not supported with this model.`
  const { verbosity } = (body['text'] ?? {}) as Fields
  if (!reasons && verbosity != null && verbosity !== 'medium')
    return `Unsupported value: '${String(verbosity)}' is not supported with this model.`
  return undefined
}

const toolFields: Readonly<Record<string, ReadonlySet<string>>> = {
  function: names(
    'type name description parameters strict defer_loading output_schema allowed_callers',
  ),
  custom: names('type name description format defer_loading allowed_callers'),
  namespace: names('type name description tools'),
}

const partFields: Readonly<Record<string, ReadonlySet<string>>> = {
  input_text: names('type text prompt_cache_breakpoint'),
  input_image: names('type image_url file_id detail prompt_cache_breakpoint'),
  input_file: names('type file_data file_id file_url filename detail prompt_cache_breakpoint'),
  output_text: names('type text annotations logprobs'),
  refusal: names('type refusal'),
}

function brokenTools(tools: readonly Fields[]): string | undefined {
  for (const [at, tool] of tools.entries()) {
    const { type, name, strict, parameters } = tool
    const unknown = unknownOfKind(tool, toolFields, String(type))
    if (unknown !== undefined) return `Unknown parameter: 'tools[${at}].${unknown}'.`
    if (type !== 'function' && type !== 'custom') continue
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(name)))
      return `Invalid 'tools[${at}].name': string does not match pattern.`
    if (strict === true && (parameters as Fields)['additionalProperties'] !== false)
      return `Invalid schema for function '${String(name)}': 'additionalProperties' is required to be supplied and to be false.`
  }
  return undefined
}

function brokenItems(input: readonly Fields[], issued: IssuedReasoning): string | undefined {
  for (const [at, item] of input.entries()) {
    const { type = 'message', id, content, role } = item
    const known = items[String(type)]
    const path = `input[${at}]`
    if (known === undefined) return `Invalid value: '${String(type)}'. ${path}.type`
    const [prefix, own] = known
    const unknown = Object.keys(item).find((name) => ![...own, 'type', 'id'].includes(name))
    if (unknown !== undefined) return `Unknown parameter: '${path}.${unknown}'.`
    if (id != null && !String(id).startsWith(prefix))
      return `Invalid '${path}.id': '${String(id)}'. Expected an ID that begins with '${prefix}'.`
    if (String(item['call_id'] ?? '').length > 64)
      return `Invalid '${path}.call_id': string too long.`
    const broken =
      type === 'message' ? brokenContent(role, content, path) : brokenReasoning(item, issued)
    if (broken !== undefined) return broken
  }
  return undefined
}

function brokenContent(role: unknown, content: unknown, path: string): string | undefined {
  if (!['user', 'assistant', 'system', 'developer'].includes(String(role)))
    return `Invalid value: '${String(role)}'. ${path}.role`
  if (typeof content === 'string') return undefined
  const taken =
    role === 'assistant' ? ['output_text', 'refusal'] : ['input_text', 'input_image', 'input_file']
  const given = content as readonly Fields[]
  const other = given.find(({ type }) => !taken.includes(String(type)))
  if (other !== undefined)
    return `Invalid value: '${String(other['type'])}'. Supported values are: ${taken.join()}`
  const unknown = given
    .map((part) => unknownOfKind(part, partFields, String(part['type'])))
    .find((name) => name !== undefined)
  return unknown && `Unknown parameter: '${path}.content[0].${unknown}'.`
}

function brokenReasoning(item: Fields, issued: IssuedReasoning): string | undefined {
  if (item['type'] !== 'reasoning' || item['encrypted_content'] == null) return undefined
  return issued.has(String(item['encrypted_content']))
    ? undefined
    : 'The encrypted content could not be verified.'
}

/** Every call needs its output and every output its call; reasoning must come before the items that followed it. */
function brokenCalls(input: readonly Fields[]): string | undefined {
  const open = new Set<unknown>()
  for (const [at, { type, call_id: id }] of input.entries()) {
    if (
      type === 'reasoning' &&
      !['reasoning', 'message', 'function_call', 'custom_tool_call'].includes(
        String(input[at + 1]?.['type']),
      )
    )
      return `Item 'rs' of type 'reasoning' was provided without its required following item.`
    if (type === 'function_call' || type === 'custom_tool_call') open.add(id)
    if (type !== 'function_call_output' && type !== 'custom_tool_call_output') continue
    if (!open.delete(id))
      return `No tool call found for function call output with call_id ${String(id)}.`
  }
  return open.size === 0 ? undefined : `No tool output found for function call ${[...open].join()}.`
}
