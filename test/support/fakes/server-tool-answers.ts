/** Responses of three makers whose own tools searched, ran code and called an MCP server. */
import { type Answering, json, sse } from './fake-upstream.ts'

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const named = (value: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${value.type}\n${data(value)}`

const found = { type: 'web_search_result', url: 'https://example.com/a', title: 'Final' }
const blocks = [
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'winner' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [{ ...found, encrypted_content: 'SECRET', page_age: null }],
  },
  {
    type: 'server_tool_use',
    id: 'srvtoolu_2',
    name: 'code_execution',
    input: { code: 'print(2)' },
  },
  {
    type: 'code_execution_tool_result',
    tool_use_id: 'srvtoolu_2',
    content: {
      type: 'code_execution_result',
      stdout: '2\n',
      stderr: '',
      return_code: 0,
      content: [],
    },
  },
  {
    type: 'mcp_tool_use',
    id: 'mcptoolu_3',
    name: 'look',
    server_name: 'library',
    input: { at: 1 },
  },
  {
    type: 'mcp_tool_result',
    tool_use_id: 'mcptoolu_3',
    is_error: false,
    content: [{ type: 'text', text: 'a book' }],
  },
  { type: 'text', text: 'They won 2.' },
]
const claudeUsage = {
  input_tokens: 500,
  output_tokens: 30,
  cache_creation_input_tokens: 15,
  cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 5 },
  server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
}
export const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: blocks,
  stop_reason: 'end_turn',
  usage: claudeUsage,
}
export const claude = either(message, [
  named({
    type: 'message_start',
    message: { ...message, content: [], stop_reason: null, usage: {} },
  }),
  ...blocks.flatMap((block, index) => [
    named({
      type: 'content_block_start',
      index,
      content_block: { ...block, ...('input' in block && { input: {} }) },
    }),
    ...('input' in block
      ? [
          named({
            type: 'content_block_delta',
            index,
            delta: { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
          }),
        ]
      : []),
    named({ type: 'content_block_stop', index }),
  ]),
  named({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: claudeUsage }),
  named({ type: 'message_stop' }),
])

const items = [
  {
    type: 'web_search_call',
    id: 'ws_1',
    status: 'completed',
    action: { type: 'search', query: 'winner' },
  },
  {
    type: 'code_interpreter_call',
    id: 'ci_2',
    status: 'completed',
    code: 'print(2)',
    container_id: 'cntr_1',
    outputs: [{ type: 'logs', logs: '2\n' }],
  },
  {
    type: 'mcp_call',
    id: 'mcp_3',
    server_label: 'library',
    name: 'look',
    arguments: '{"at":1}',
    output: 'a book',
    error: null,
  },
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'They won 2.', annotations: [] }],
  },
]
export const response = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'm',
  output: items,
  usage: { input_tokens: 500, output_tokens: 30, total_tokens: 530 },
}
export const openai = either(response, [
  named({ type: 'response.created', response: { ...response, output: [], status: 'in_progress' } }),
  ...items.map((item, index) =>
    named({ type: 'response.output_item.done', output_index: index, item }),
  ),
  named({ type: 'response.completed', response }),
])

const candidate = {
  candidates: [
    {
      content: {
        role: 'model',
        parts: [
          { executableCode: { language: 'PYTHON', code: 'print(2)' } },
          { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '2\n' } },
          { text: 'They won 2.' },
        ],
      },
      finishReason: 'STOP',
      groundingMetadata: { webSearchQueries: ['winner', 'score'] },
    },
  ],
  usageMetadata: { promptTokenCount: 500, candidatesTokenCount: 30 },
}
export const gemini = either(candidate, [data(candidate)])

/** The whole response, or the events of a stream, as the request asks. */
export function either(whole: object, events: readonly string[]): Answering {
  return ({ body, path }, reply) =>
    body['stream'] === true || path.includes('stream')
      ? sse(reply, [...events])
      : json(reply, whole)
}
