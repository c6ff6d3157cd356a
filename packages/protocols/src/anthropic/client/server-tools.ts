import { type Fields, isObject, type ServerToolCall } from '@sluice/contract'
import type { FormatContext } from '../../client-format.ts'
import { logsOf, nameUntold, pagesOf, textForm } from '../../server-tools.ts'
import type { Block } from '../blocks.ts'

/**
 * A server tool call and its result in Anthropic's form (Claude docs, server tools). Content of other kinds, which has no id, is
 * reported as left out.
 */
export function serverToolBlocks(
  call: ServerToolCall,
  reports: Pick<FormatContext, 'leftOut'>,
): readonly Block[] {
  if (call.id === '') {
    nameUntold(call, reports)
    return []
  }
  const { id, type, name, server_label: server = '', input, output } = call
  const tool = name ?? type
  const isMcp = type === 'mcp'
  const use: Block = isMcp
    ? { type: 'mcp_tool_use', id, name: tool, server_name: server, input }
    : { type: 'server_tool_use', id, name: tool, input }
  const result = isMcp ? mcpResult(call) : resultContent(call, tool)
  if (result === undefined || (output === undefined && isMcp)) return [use]
  return [
    use,
    {
      type: `${isMcp ? 'mcp_tool' : `${tool}_tool`}_result`,
      tool_use_id: id,
      ...(isMcp ? { is_error: call.is_error === true } : {}),
      content: result,
    },
  ]
}

function mcpResult({ output }: ServerToolCall): readonly Fields[] {
  return [{ type: 'text', text: textForm(output ?? '') }]
}

/** Web search and code execution get an empty result if there is none; otherwise they would look unfinished. */
function resultContent(call: ServerToolCall, tool: string): unknown {
  const { type, output } = call
  if (type === 'web_search') {
    if (isObject(output)) return { type: 'web_search_tool_result_error', ...output }
    return pagesOf(call).map((page) => ({
      type: 'web_search_result',
      ...page,
      encrypted_content: '',
      page_age: null,
    }))
  }
  if (type !== 'code_execution') return output
  if (isObject(output) && 'type' in output) return output
  return {
    type: `${tool}_result`,
    stdout: logsOf(call),
    stderr: '',
    return_code: call.is_error === true ? 1 : 0,
    content: [],
  }
}
