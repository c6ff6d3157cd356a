/** The single events of a streamed message, for fake upstreams that combine them incorrectly. */
const named = (event: { readonly type: string }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
export const namedEvents = (...events: readonly ({ type: string } & Record<string, unknown>)[]) =>
  events.map(named)
export const messageStart = (id: string, further: object = {}) => ({
  type: 'message_start',
  message: {
    id,
    type: 'message',
    role: 'assistant',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 5, output_tokens: 1 },
    ...further,
  },
})
export const toolStart = (index: number, name: string) => ({
  type: 'content_block_start',
  index,
  content_block: { type: 'tool_use', id: `toolu_${index}`, name, input: {} },
})
export const inputDelta = (index: number, text: string) => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'input_json_delta', partial_json: text },
})
export const blockStop = (index: number) => ({ type: 'content_block_stop', index })
export const messageDelta = {
  type: 'message_delta',
  delta: { stop_reason: 'tool_use', stop_sequence: null },
  usage: { output_tokens: 9 },
}
export const messageStop = { type: 'message_stop' }
