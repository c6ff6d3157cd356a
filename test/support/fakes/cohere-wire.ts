/** Responses of Cohere's `POST /v2/chat` for fake upstreams, whole and streamed. */
import type { ServerResponse } from 'node:http'
import { json, type SeenRequest, sse } from './fake-upstream.ts'
import type { Said } from './openai-wire.ts'

const usage = {
  billed_units: { input_tokens: 19, output_tokens: 30 },
  tokens: { input_tokens: 100, output_tokens: 30 },
}
const pieces = (text: string) => text.match(/[\s\S]{1,5}/g) ?? []
let count = 0

/** Responds to a chat request, streamed if the request asks for it. Text before tool calls is sent as the tool plan. */
export async function answerCohere(
  seen: SeenRequest,
  response: ServerResponse,
  { text = '', calls = [] }: Said,
): Promise<void> {
  count += 1
  const id = `2941521a-b87a-45f6-9b0d-${String(count).padStart(12, '0')}`
  const isCall = calls.length > 0
  const finish_reason = isCall ? 'TOOL_CALL' : 'COMPLETE'
  const tool_calls = calls.map(([callId, name, input]) => ({
    id: callId,
    type: 'function',
    function: { name, arguments: input },
  }))
  if (seen.body['stream'] !== true) {
    const said = isCall ? { tool_plan: text, tool_calls } : { content: [{ type: 'text', text }] }
    return json(response, { id, message: { role: 'assistant', ...said }, finish_reason, usage })
  }
  const event = (type: string, message: object, index?: number) => ({
    type,
    ...(index !== undefined && { index }),
    delta: { message },
  })
  const content = { type: 'text', text: '' }
  const words = isCall
    ? pieces(text).map((tool_plan) => event('tool-plan-delta', { tool_plan }))
    : [
        event('content-start', { content }, 0),
        ...pieces(text).map((piece) => event('content-delta', { content: { text: piece } }, 0)),
        { type: 'content-end', index: 0 },
      ]
  const begun = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] }
  return sse(response, [
    { id, ...event('message-start', begun) },
    ...words,
    ...tool_calls.flatMap((call, index) => [
      event(
        'tool-call-start',
        { tool_calls: { ...call, function: { ...call.function, arguments: '' } } },
        index,
      ),
      ...pieces(call.function.arguments).map((piece) =>
        event('tool-call-delta', { tool_calls: { function: { arguments: piece } } }, index),
      ),
      { type: 'tool-call-end', index },
    ]),
    { type: 'message-end', delta: { finish_reason, usage } },
  ])
}
