/** Requests that Cohere's `POST /v2/chat` refuses with status 400, so that fake upstreams are no more lenient than the API. */
import { names, unknownIn, unknownOfKind } from './known-fields.ts'

type Fields = Readonly<Record<string, unknown>>

const fields: ReadonlySet<string> = new Set(
  `citation_options documents frequency_penalty k logprobs max_tokens messages model p presence_penalty
  priority raw_prompting response_format safety_mode seed stop_sequences stream strict_tools temperature
  thinking tool_choice tools`.split(/\s+/),
)

const messageFields: Readonly<Record<string, ReadonlySet<string>>> = {
  system: names('role content'),
  user: names('role content'),
  assistant: names('role content tool_calls tool_plan citations'),
  tool: names('role content tool_call_id'),
}

const partTypes: Readonly<Record<string, ReadonlySet<string>>> = {
  system: names('text'),
  user: names('text image_url'),
  assistant: names('text thinking'),
  tool: names('text document'),
}

/** The ranges of Cohere's numeric fields (API reference, Chat). */
const bounds: Readonly<Record<string, readonly [number, number]>> = {
  p: [0.01, 0.99],
  k: [0, 500],
  temperature: [0, 1],
  frequency_penalty: [0, 1],
  presence_penalty: [0, 1],
}

/** The API's error message for the first rule that a request breaks; undefined for a valid request. */
export function brokenCohereRule(body: Fields): string | undefined {
  const unknown = Object.keys(body).find((name) => !fields.has(name))
  if (unknown !== undefined) return `unknown field: parameter '${unknown}' is not a valid field`
  for (const [name, [least, most]] of Object.entries(bounds)) {
    const value = body[name]
    if (value !== undefined && !(Number(value) >= least && Number(value) <= most))
      return `invalid request: ${name} must be between ${least} and ${most} inclusive.`
  }
  const choice = body['tool_choice']
  if (choice !== undefined && choice !== 'REQUIRED' && choice !== 'NONE')
    return `invalid request: tool_choice must be REQUIRED or NONE`
  if (body['thinking'] !== undefined && !String(body['model']).includes('reasoning'))
    return 'invalid request: thinking is not supported by this model'
  return (
    brokenTools(body['tools'] as readonly Fields[] | undefined) ??
    brokenMessages((body['messages'] ?? []) as readonly Fields[])
  )
}

function brokenTools(tools: readonly Fields[] | undefined): string | undefined {
  for (const tool of tools ?? []) {
    const { type, function: declared } = tool
    const unknown =
      unknownIn(tool, names('type function')) ??
      unknownIn(declared, names('name description parameters'))
    if (unknown !== undefined)
      return `unknown field: parameter 'tools.${unknown}' is not a valid field`
    if (type !== 'function') return `invalid type: tools[0].type must be 'function'`
    const { name, parameters } = declared as Fields
    if (!/^[a-zA-Z0-9_-]+$/.test(String(name))) return `invalid tool name ${String(name)}`
    if (parameters !== undefined && (parameters as Fields)['type'] !== 'object')
      return `invalid request: the parameters of tool ${String(name)} must be an object`
  }
  return undefined
}

function brokenMessages(messages: readonly Fields[]): string | undefined {
  const known = new Set<unknown>()
  let open = new Set<unknown>()
  for (const message of messages) {
    const { role, content, tool_calls: calls, tool_call_id: id } = message
    if (!['system', 'user', 'assistant', 'tool'].includes(String(role)))
      return `invalid role ${String(role)}: must be one of 'user', 'assistant', 'system', 'tool'`
    const unknown = unknownOfKind(message, messageFields, String(role)) ?? unknownCall(calls)
    if (unknown !== undefined)
      return `unknown field: parameter 'messages.${unknown}' is not a valid field`
    const parts = (Array.isArray(content) ? content : []) as readonly Fields[]
    const other = parts.find(({ type }) => !partTypes[String(role)]?.has(String(type)))
    if (other !== undefined)
      return `invalid content type ${String(other['type'])} for role ${String(role)}`
    if (role === 'tool') {
      if (!known.has(id))
        return `invalid request: tool call id ${String(id)} not found in previous tool calls`
      open.delete(id)
    } else if (open.size > 0)
      return `invalid request: all tool calls must be followed by tool messages: ${[...open].join()}`
    if (
      !(content as string | undefined)?.length &&
      !(calls as readonly Fields[] | undefined)?.length
    )
      return `invalid request: message must be at least 1 token long or tool results must be specified.`
    open = new Set([...open, ...((calls ?? []) as readonly Fields[]).map((call) => call['id'])])
    for (const call of open) known.add(call)
  }
  return open.size === 0
    ? undefined
    : `invalid request: all tool calls must be followed by tool messages: ${[...open].join()}`
}

function unknownCall(calls: unknown): string | undefined {
  return ((calls ?? []) as readonly Fields[])
    .map(
      (call) =>
        unknownIn(call, names('id type function')) ??
        unknownIn(call['function'], names('name arguments')),
    )
    .find((name) => name !== undefined)
}
