import { type Fields, type ServerToolCall, someText } from '@sluice/contract'
import type { Reports } from '../../native-target.ts'
import { codeOf, logsOf, nameUntold, pagesOf, queriesOf, textForm } from '../../server-tools.ts'
import type { OutputItem } from './schema.ts'

/**
 * A call of a provider's tool as one of OpenAI's items (OpenAI API, OutputItem). A tool without such an item is reported as
 * left out, and so is the content of a page that was opened.
 */
export function serverItems(
  call: ServerToolCall,
  newId: (prefix: string) => string,
  reports: Pick<Reports, 'leftOut'>,
): readonly OutputItem[] {
  const item = itemOf(call)
  if (item === undefined) {
    nameUntold(call, reports)
    return []
  }
  if (call.type === 'web_fetch' && call.output !== undefined) nameUntold(call, reports, 'output')
  const { prefix, ...fields } = item
  const status = call.is_error === true ? 'failed' : 'completed'
  return [{ id: newId(prefix), status, ...fields }]
}

type Item = Fields & { readonly prefix: string; readonly type: string }

function itemOf(call: ServerToolCall): Item | undefined {
  const { input, output } = call
  switch (call.type) {
    case 'web_search':
      return { prefix: 'ws_', type: 'web_search_call', action: searchOf(call) }
    case 'web_fetch': {
      const type = input['pattern'] === undefined ? 'open_page' : 'find_in_page'
      return { prefix: 'ws_', type: 'web_search_call', action: { type, ...input } }
    }
    case 'code_execution':
      return {
        prefix: 'ci_',
        type: 'code_interpreter_call',
        code: codeOf(call),
        container_id: someText(input['container_id']) ?? '',
        outputs: output === undefined ? null : [{ type: 'logs', logs: logsOf(call) }],
      }
    case 'file_search':
      return {
        prefix: 'fs_',
        type: 'file_search_call',
        queries: queriesOf(call),
        results: output ?? null,
      }
    case 'mcp':
      return mcpItem(call)
    default:
      return undefined
  }
}

function searchOf(call: ServerToolCall): Fields {
  const queries = queriesOf(call)
  const sources = pagesOf(call).map(({ url }) => ({ type: 'url', url }))
  return {
    type: 'search',
    query: queries[0] ?? '',
    ...(queries.length > 1 ? { queries } : {}),
    ...(sources.length === 0 ? {} : { sources }),
  }
}

function mcpItem({
  name = '',
  server_label: server = '',
  input,
  output,
  ...rest
}: ServerToolCall): Item {
  const isError = rest.is_error === true
  const text = output === undefined ? null : textForm(output)
  return {
    prefix: 'mcp_',
    type: 'mcp_call',
    server_label: server,
    name,
    arguments: textForm(input),
    output: isError ? null : text,
    error: isError ? text : null,
  }
}
