import {
  type Fields,
  isObject,
  listOf,
  objectOf,
  type ServerToolCall,
  someText,
  textOf,
} from '@sluice/contract'
import { withoutEncrypted } from '../../server-tools.ts'

/** Blocks of calls that Anthropic itself runs, at its servers or at an MCP server (Claude docs, server tools). */
const calls: ReadonlySet<unknown> = new Set(['server_tool_use', 'mcp_tool_use'])

/** Anthropic's tools that do the same in other ways. */
const kinds: Readonly<Record<string, string>> = { bash_code_execution: 'code_execution' }

/** The calls of one answer, which their results follow. */
export class ServerTools {
  readonly #open = new Map<string, ServerToolCall>()

  /** Takes a block that is whole; gives the calls of which all is known then, or a block that stands for itself. */
  read(block: Fields): readonly ServerToolCall[] {
    if (calls.has(block['type'])) {
      this.#open.set(textOf(block['id']), callOf(block))
      return []
    }
    // A call of the caller's own that has no name.
    if (block['type'] === 'tool_use') return []
    const id = someText(block['tool_use_id'])
    if (id === undefined) {
      const { type, ...input } = block
      return [{ id: '', type: textOf(type), input: objectOf(withoutEncrypted(input)) }]
    }
    const call = this.#open.get(id) ?? { id, type: textOf(block['type']), input: {} }
    this.#open.delete(id)
    return [{ ...call, ...resultOf(block) }]
  }

  /** The calls whose results did not come, once. */
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
