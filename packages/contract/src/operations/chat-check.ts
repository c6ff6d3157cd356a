import { type GatewayError, invalidRequest, missingParameter } from '../core/errors.ts'
import { hasOnly, isObject } from '../wire/reading.ts'
import { type ContentPart, contentPartTypes, type Message, type Tool } from './chat-message.ts'
import type { ChatRequest } from './chat-request.ts'

type CheckedMessage = Omit<Message, 'role'> & {
  readonly role: string
  readonly function_call?: unknown
  readonly images?: readonly unknown[] | null
}

type CheckedTool = Partial<Omit<Tool, 'type'>> & {
  readonly type?: string
  readonly [field: string]: unknown
}

/** The checked parts of a request, in the canonical form or in that of OpenAI's own clients. */
interface Checked
  extends Pick<
    ChatRequest,
    'logprobs' | 'server_tools' | 'stream' | 'stream_options' | 'tool_choice' | 'top_logprobs'
  > {
  readonly tools?: readonly CheckedTool[] | null
  readonly messages: readonly CheckedMessage[]
  readonly response_format?: { readonly type: string; readonly json_schema?: unknown } | null
}

/** Checks the rules of a chat request that a schema cannot express (OpenAI error-code guide; contract). */
export function checkChat(request: Checked): void {
  checkMessages(request.messages)
  for (const [index, tool] of (request.tools ?? []).entries()) checkTool(tool, `tools[${index}]`)
  if (request.top_logprobs != null && request.logprobs !== true)
    throw invalidRequest('top_logprobs needs logprobs to be true', 'top_logprobs')
  if (request.stream_options != null && request.stream !== true)
    throw invalidRequest('stream_options is only allowed when stream is true', 'stream_options')
  if (request.tool_choice != null) checkToolChoice(request.tool_choice, toolsOf(request))
  const { response_format: format } = request
  if (format?.type === 'json_schema' && format.json_schema == null)
    throw missingParameter('response_format.json_schema')
}

/** Both the caller's and the providers' tools: some of the latter are called by the caller, and all of those have names. */
function toolsOf({ tools, server_tools: server }: Checked): readonly CheckedTool[] {
  return server?.length ? [...(tools ?? []), ...server.map(({ tool }) => tool)] : (tools ?? [])
}

function checkToolChoice(
  choice: NonNullable<Checked['tool_choice']>,
  tools: readonly CheckedTool[],
): void {
  if (choice === 'none' || choice === 'auto') return
  if (!tools.length) throw invalidRequest('tool_choice is only allowed with tools', 'tool_choice')
  if (typeof choice === 'string') return
  if (choice.type === 'allowed_tools') {
    if (!choice.allowed_tools) throw missingParameter('tool_choice.allowed_tools')
    checkAllowedTools(choice.allowed_tools.tools, tools)
    return
  }
  const { type } = choice
  const path = `tool_choice.${type}.name`
  const name = choice[type]?.name
  if (name === undefined) throw missingParameter(path)
  // Some clients name a free-form tool as if it were a function; none does the opposite.
  const named = tools.find((tool) => nameOfTool(tool) === name)
  if (named ? type === 'custom' && named.custom == null : !tools.some(hasOwnNames))
    throw notAmongTools(name, path)
}

/** Entries for tools that providers run themselves have no name to look up. */
function checkAllowedTools(
  allowed: readonly Readonly<Record<string, unknown>>[],
  tools: readonly CheckedTool[],
): void {
  if (tools.some(hasOwnNames)) return
  const names = new Set(tools.map(nameOfTool))
  for (const [index, entry] of allowed.entries()) {
    const { type } = entry
    if (type !== 'function' && type !== 'custom') continue
    const { [type]: wrapped, name: flat } = entry
    const path = `tool_choice.allowed_tools.tools[${index}].${isObject(wrapped) ? `${type}.` : ''}name`
    const name = isObject(wrapped) ? wrapped['name'] : flat
    if (typeof name !== 'string') throw missingParameter(path)
    if (!names.has(name)) throw notAmongTools(name, path)
  }
}

function nameOfTool(tool: CheckedTool): string | undefined {
  const { function: called, custom, type, name } = tool
  if (called != null || custom != null) return (called ?? custom)?.name
  const isProviders = type !== 'function' && type !== 'custom'
  return isProviders && typeof name === 'string' ? name : undefined
}

/** Whether it stands for functions whose names its provider has defined: Google's computer use. */
function hasOwnNames(tool: CheckedTool): boolean {
  return Object.entries(tool).some(([name, value]) => isObject(value) && plain(name) === computer)
}

const shownNameMax = 80

function notAmongTools(name: string, path: string): GatewayError {
  const shown = name.length > shownNameMax ? `${name.slice(0, shownNameMax)}…` : name
  return invalidRequest(`tool_choice names "${shown}", which is not among tools`, path)
}

/** A tool that a provider runs itself has another type, or a field instead of a type (`google_search`). */
function checkTool(tool: CheckedTool, path: string): void {
  const { type } = tool
  if (type === undefined && !Object.entries(tool).some(isGooglesOwn))
    throw missingParameter(`${path}.type`)
  if ((type === 'function' || type === 'custom') && tool[type] == null)
    throw missingParameter(`${path}.${type}`)
}

const computer = 'computeruse'

const googlesOwn: ReadonlySet<string> = new Set([
  computer,
  'googlesearch',
  'urlcontext',
  'codeexecution',
  'googlemaps',
  'filesearch',
  'enterprisewebsearch',
  'googlesearchretrieval',
])

function isGooglesOwn([name, value]: readonly [string, unknown]): boolean {
  return isObject(value) && googlesOwn.has(plain(name))
}

/** A name of Google's, which has two spellings. */
function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase()
}

/** Every tool message must belong to a call of the assistant message before it, and each call can have only one. */
function checkMessages(messages: readonly CheckedMessage[]): void {
  let open = new Set<string>()
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`
    checkContent(message, path)
    if (message.role === 'tool') {
      const id = message.tool_call_id
      if (id == null) throw missingParameter(`${path}.tool_call_id`)
      if (!open.delete(id))
        throw invalidRequest(
          `A message with role 'tool' must answer a tool call of the assistant message before it; ${id} is not one`,
          `${path}.tool_call_id`,
        )
      continue
    }
    if (message.role === 'assistant') {
      open = new Set()
      for (const [slot, call] of (message.tool_calls ?? []).entries()) {
        const kind = call.type ?? 'function'
        if (call[kind] == null) throw missingParameter(`${path}.tool_calls[${slot}].${kind}`)
        open.add(call.id)
      }
    }
  }
}

const textMembers: ReadonlySet<string> = new Set(['role', 'content', 'name'])

/** Whether a message of any chat format is nothing but a text. */
export function isTextMessage(message: unknown): boolean {
  return (
    isObject(message) && typeof message['content'] === 'string' && hasOnly(message, textMembers)
  )
}

function checkContent(message: CheckedMessage, path: string): void {
  const { content, role } = message
  if (content == null) {
    // A model or a tool without any content sends null.
    if (content === null && (role === 'assistant' || role === 'tool')) return
    const calls = (message.tool_calls?.length ?? 0) > 0 || message.function_call != null
    const drew = (message.images?.length ?? 0) > 0
    if (role === 'assistant' && (calls || drew || message.refusal != null || message.audio != null))
      return
    throw missingParameter(`${path}.content`)
  }
  if (typeof content === 'string') return
  // In a response or a result, an empty list means that there was no content.
  if (content.length === 0 && role !== 'assistant' && role !== 'tool')
    throw invalidRequest(`'${path}.content' must have at least 1 item`, `${path}.content`)
  for (const [index, part] of content.entries()) checkPart(part, role, `${path}.content[${index}]`)
}

/** `thinking` comes from the responses of Mistral's models. */
const answeredParts: ReadonlySet<string> = new Set(['refusal', 'thinking'])
const mediaRoles: ReadonlySet<string> = new Set(['user', 'tool'])

/** Parts and blocks of other formats, for which chat completions have their own. */
const otherFormats =
  /^(?:(?:in|out)put_(?:text|image|file)|image|document|search_result|redacted_thinking|.*tool_(?:use|result))$/

const knownParts: ReadonlySet<string> = new Set([...contentPartTypes, ...answeredParts])

function checkPart(part: ContentPart, role: string, path: string): void {
  if (!knownParts.has(part.type)) {
    if (!otherFormats.test(part.type)) return
    const words = contentPartTypes.join(', ')
    throw invalidRequest(`'${path}.type' must be one of: ${words}`, `${path}.type`)
  }
  if (part[part.type] == null) throw missingParameter(`${path}.${part.type}`)
  if (part.type === 'text') return
  if (answeredParts.has(part.type)) {
    if (role !== 'assistant')
      throw invalidRequest(`Only assistant messages hold a ${part.type}`, `${path}.type`)
    return
  }
  if (!mediaRoles.has(role))
    throw invalidRequest(`A message with role '${role}' holds only text`, `${path}.type`)
  if (part.type === 'file' && part.file?.file_data == null && part.file?.file_id == null)
    throw missingParameter(`${path}.file.file_data`)
}
