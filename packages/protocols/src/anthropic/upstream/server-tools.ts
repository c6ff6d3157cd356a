import {
  type Fields,
  isObject,
  listOf,
  objectOf,
  type ServerToolCall,
  someText,
  textOf,
} from '@sluice/contract'
import { unreadContent, withoutEncrypted } from '../../server-tools.ts'

/** Block types of calls that Anthropic runs itself, on its servers or on an MCP server (Claude docs, server tools). */
const calls: ReadonlySet<unknown> = new Set(['server_tool_use', 'mcp_tool_use'])

/** Anthropic's variants of the same tool. */
const kinds: Readonly<Record<string, string>> = { bash_code_execution: 'code_execution' }

/** The server tool calls of one response, which are followed by their results. */
export class ServerTools {
  readonly #open = new Map<string, ServerToolCall>()

  /** Reads a complete block. Returns the calls that are complete then, or a block that stands alone. */
  read(block: Fields): readonly ServerToolCall[] {
    if (calls.has(block['type'])) {
      this.#open.set(textOf(block['id']), callOf(block))
      return []
    }
    // A call of the caller's tools without a name.
    if (block['type'] === 'tool_use') return []
    const id = someText(block['tool_use_id'])
    if (id === undefined) {
      const { type, ...input } = block
      return [unreadContent(textOf(type), withoutEncrypted(input))]
    }
    const call = this.#open.get(id) ?? { id, type: textOf(block['type']), input: {} }
    this.#open.delete(id)
    return [{ ...call, ...resultOf(block) }]
  }

  /** Returns the calls without results, once. */
  rest(): readonly ServerToolCall[] {
    const rest = [...this.#open.values()]
    this.#open.clear()
    return rest
  }
}

function callOf({ type, id, name, server_name: server, input }: Fields): ServerToolCall {
  const call = { id: textOf(id), name: textOf(name), input: { ...objectOf(input) } }
  return type === 'mcp_tool_use'
    ? { ...call, type: 'mcp', server_label: textOf(server) }
    : { ...call, type: kinds[call.name] ?? call.name }
}

function resultOf({ content, is_error: failed }: Fields): Partial<ServerToolCall> {
  const texts = listOf(content).map((part) => objectOf(part)['text'])
  const isText = texts.length > 0 && texts.every((text) => typeof text === 'string')
  const isError = failed === true || (isObject(content) && content['error_code'] !== undefined)
  return {
    output: isText ? texts.join('\n') : withoutEncrypted(content),
    ...(isError ? { is_error: true } : {}),
  }
}
