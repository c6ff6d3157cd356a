import {
  type Fields,
  formatJson,
  GatewayError,
  isObject,
  listOf,
  matches,
  objectOf,
  someText,
} from '@sluice/contract'
import { canonicalMessages } from '../../anthropic/client/messages.ts'
import { Block } from '../../anthropic/client/schema.ts'
import type { FormatContext } from '../../client-format.ts'
import { withoutNull } from '../../neutral-values.ts'
import { serverTools } from '../../openai-responses/client/offered-tools.ts'
import { canonicalOf } from '../../openai-responses/client/request.ts'
import {
  type ResponsesRequest,
  ResponsesRequest as Responses,
} from '../../openai-responses/client/schema.ts'

/**
 * Rewrites a chat request to OpenAI's form. Cursor and others send Anthropic's blocks and tools, or the parts and tools of
 * Responses, to this endpoint; Mistral's clients have names of their own, and Ollama's write arguments as objects.
 */
export function respellChat(given: Fields, context: FormatContext): Fields {
  const request = isResponses(given) ? ofResponses(given, context) : given
  const { messages, tools, tool_choice: choice, response_format: format } = request
  return {
    ...request,
    ...(Array.isArray(messages) ? { messages: messages.flatMap(respelledMessage) } : {}),
    ...(Array.isArray(tools) ? { tools: tools.map(respelledTool) } : {}),
    ...(choice == null ? {} : { tool_choice: respelledChoice(choice) }),
    ...(isObject(choice) && choice['disable_parallel_tool_use'] === true
      ? { parallel_tool_calls: false }
      : {}),
    ...(isObject(format) ? { response_format: respelledFormat(format) } : {}),
  }
}

function isResponses(request: Fields): request is ResponsesRequest {
  return request['messages'] == null && request['input'] != null && matches(Responses, request)
}

/** Cursor sends this form in its agent mode. */
function ofResponses(request: ResponsesRequest, context: FormatContext): Fields {
  const { server_tools: _, ...chat } = canonicalOf(request, { ...context, unsupported })
  const server = serverTools(request).map(({ tool }) => tool.tool)
  const tools = [...(chat.tools ?? []), ...server]
  const { stream_options: options } = request
  return {
    ...chat,
    ...(tools.length === 0 ? {} : { tools }),
    ...(options == null ? {} : { stream_options: options }),
  }
}

function unsupported(param: string, reason?: string): never {
  const message = `'${param}' is not supported by chat completions`
  throw new GatewayError(
    'unsupported_parameter',
    reason === undefined ? message : `${message}: ${reason}`,
    { param },
  )
}

/** Anthropic's tools have another name for the schema; those of Responses are not wrapped. */
function respelledTool(tool: unknown): unknown {
  if (!isObject(tool) || typeof tool['name'] !== 'string') return tool
  const { type = 'function', name, description, input_schema: schema, ...others } = tool
  if ((type !== 'function' && type !== 'custom') || isObject(tool[type])) return tool
  const { parameters = schema, strict, format, ...rest } = others
  const named = { name, ...(description == null ? {} : { description }) }
  if (parameters === undefined && tool['type'] === undefined) return tool
  if (type === 'custom' && parameters === undefined)
    return { ...rest, type, custom: { ...named, ...(format == null ? {} : { format }) } }
  const called = {
    ...named,
    ...(parameters == null ? {} : { parameters }),
    ...(strict == null ? {} : { strict }),
  }
  return { ...rest, type: 'function', function: called }
}

const modes: Readonly<Record<string, string>> = {
  auto: 'auto',
  none: 'none',
  required: 'required',
  any: 'required',
}

function respelledChoice(choice: unknown): unknown {
  if (typeof choice === 'string') return modes[choice] ?? choice
  const { type, name } = objectOf(choice)
  if (typeof type !== 'string') return choice
  const mode = modes[type]
  if (mode !== undefined) return mode
  if (typeof name !== 'string') return choice
  if (type === 'custom') return { type, custom: { name } }
  return type === 'tool' || type === 'function' ? { type: 'function', function: { name } } : choice
}

function respelledFormat(format: Fields): Fields {
  const { type, schema, name, strict, ...rest } = format
  if (type !== 'json_schema' || !isObject(schema) || rest['json_schema'] != null) return format
  const named = { name: typeof name === 'string' ? name : 'answer', schema }
  return { ...rest, type, json_schema: { ...named, ...(strict == null ? {} : { strict }) } }
}

function respelledMessage(given: unknown, index: number): readonly unknown[] {
  if (!isObject(given)) return [given]
  const { tool_calls: calls, function_call: call } = given
  const message: Fields = {
    ...given,
    ...(Array.isArray(calls) ? { tool_calls: calls.map(respelledCall) } : {}),
    ...(isObject(call) ? { function_call: withArgumentsText(call) } : {}),
  }
  const { content, role } = message
  if (!Array.isArray(content)) return [message]
  const parts = content.map(respelledPart)
  const path = `messages[${index}]`
  return role === 'assistant'
    ? assistantMessages({ ...message, content: parts }, parts, path)
    : otherMessages(message, parts, path)
}

function respelledCall(call: unknown): unknown {
  if (!isObject(call) || !isObject(call['function'])) return call
  return { ...call, function: withArgumentsText(call['function']) }
}

function withArgumentsText(called: Fields): Fields {
  const { arguments: given } = called
  if (given === null) return { ...called, arguments: '{}' }
  return isObject(given) ? { ...called, arguments: formatJson(given) } : called
}

/** Accepts the parts of Responses, and an image given only by its address. */
function respelledPart(part: unknown): unknown {
  if (!isObject(part)) return part
  const { type, image_url: picture, detail, filename, file_data, file_url, file_id, ...rest } = part
  switch (type) {
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: part['text'] }
    case 'image_url':
      return typeof picture === 'string' ? { ...rest, type, image_url: { url: picture } } : part
    case 'input_image':
      if (typeof picture !== 'string') return part
      return {
        type: 'image_url',
        image_url: { url: picture, ...(detail == null ? {} : { detail }) },
      }
    case 'input_file': {
      const file = { filename, file_data: file_data ?? file_url, file_id }
      return { type: 'file', file: withoutNull(file) }
    }
    default:
      return part
  }
}

/** Blocks for which chat has no parts of the same type. */
const blockTypes = /^(?:image|document|search_result|redacted_thinking|.*tool_(?:use|result))$/

function isBlock(part: unknown): part is Block {
  return isObject(part) && blockTypes.test(String(part['type'])) && matches(Block, part)
}

/** Results among the blocks belong to the calls before them, so they come first. */
function otherMessages(
  message: Fields,
  parts: readonly unknown[],
  path: string,
): readonly unknown[] {
  if (!parts.some(isBlock)) return [{ ...message, content: parts }]
  const results: unknown[] = []
  const rest: unknown[] = []
  for (const [place, part] of parts.entries()) {
    if (!isBlock(part)) {
      rest.push(part)
      continue
    }
    const read = canonicalMessages({ role: 'user', content: [part] }, `${path}(${place})`)
    for (const { role, content, ...made } of read)
      if (role === 'tool') results.push({ ...made, role, content })
      else
        rest.push(
          ...(typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)),
        )
  }
  return rest.length === 0 ? results : [...results, { ...message, content: rest }]
}

function assistantMessages(
  message: Fields,
  parts: readonly unknown[],
  path: string,
): readonly unknown[] {
  const isReadable = parts.every((part) => isBlock(part) || (isSaid(part) && matches(Block, part)))
  if (!isReadable || !parts.some(isBlock)) return [message]
  // Each part was checked to be a block.
  const [first, ...shown] = canonicalMessages(
    { role: 'assistant', content: parts as Block[] },
    path,
  )
  return first === undefined ? [] : [{ ...message, ...first }, ...shown]
}

function isSaid(part: unknown): boolean {
  const { type, thinking } = objectOf(part)
  return type === 'text' || (type === 'thinking' && typeof thinking === 'string')
}

/**
 * An image edit in JSON as other servers accept it: `image` and `mask` as addresses, lists or objects with a `url`, `images` as plain
 * addresses or as parts of a chat (xAI, Together, Volcengine), in OpenAI's form.
 */
export function respellEdit({ image, images, mask, ...rest }: Fields): Fields {
  const all = [...itemsOf(image), ...itemsOf(images)]
  return {
    ...rest,
    ...(all.length > 0 && { images: all.map(referenceOf) }),
    ...(mask != null && { mask: referenceOf(mask) }),
  }
}

function itemsOf(given: unknown): readonly unknown[] {
  if (given == null) return []
  return Array.isArray(given) ? listOf(given) : [given]
}

/** What is no reference stays as it is, so that the schema names it. */
function referenceOf(item: unknown): unknown {
  if (typeof item === 'string') return { image_url: item }
  if (!isObject(item)) return item
  const { url, image_url: address } = item
  const found = someText(url) ?? someText(objectOf(address)['url'])
  return found === undefined ? item : { image_url: found }
}
