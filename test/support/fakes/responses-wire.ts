/** Responses of OpenAI's Responses API for fake upstreams: whole responses and streamed events. */
import type { ServerResponse } from 'node:http'
import { json, type SeenRequest, sse } from './fake-upstream.ts'

export type ResponseItem = { readonly type: string; readonly id: string } & Readonly<
  Record<string, unknown>
>

let count = 0

/** 40 of 100 input tokens were cached; 12 of 30 output tokens were reasoning. */
const usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 40 },
  output_tokens: 30,
  output_tokens_details: { reasoning_tokens: 12 },
  total_tokens: 130,
}

const idOf = (prefix: string) => {
  count += 1
  return `${prefix}_01830d662ab3856501693c3214${String(count).padStart(6, '0')}`
}

export const reasoningItem = (text: string, encrypted: string): ResponseItem => ({
  id: idOf('rs'),
  type: 'reasoning',
  encrypted_content: encrypted,
  summary: [{ type: 'summary_text', text }],
})
export const messageItem = (text: string): ResponseItem => ({
  id: idOf('msg'),
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', annotations: [], logprobs: [], text }],
})
export const callItem = (callId: string, name: string, text: string): ResponseItem => ({
  id: idOf('fc'),
  type: 'function_call',
  status: 'completed',
  call_id: callId,
  name,
  arguments: text,
})
export const customCallItem = (callId: string, name: string, input: string): ResponseItem => ({
  id: idOf('ctc'),
  type: 'custom_tool_call',
  status: 'completed',
  call_id: callId,
  name,
  input,
})

const pieces = (text: string) => text.match(/[\s\S]{1,5}/g) ?? []

function itemEvents(item: ResponseItem, output_index: number): readonly object[] {
  const { id: item_id, type } = item
  const at = { item_id, output_index }
  const [text] = [...((item['content'] ?? item['summary'] ?? []) as { text: string }[])]
  const said = text?.text ?? String(item['arguments'] ?? item['input'] ?? '')
  const told = (name: string, further: object = {}) =>
    pieces(said).map((delta) => ({ type: `${name}.delta`, ...at, ...further, delta }))
  const added = (rest: object) => ({
    type: 'response.output_item.added',
    output_index,
    item: { ...item, status: 'in_progress', ...rest },
  })
  const done = { type: 'response.output_item.done', output_index, item }
  switch (type) {
    case 'reasoning': {
      const part = { ...at, summary_index: 0 }
      const name = 'response.reasoning_summary'
      return [
        { ...added({ summary: [] }) },
        { type: `${name}_part.added`, ...part, part: { type: 'summary_text', text: '' } },
        ...told(`${name}_text`, { summary_index: 0 }),
        { type: `${name}_text.done`, ...part, text: said },
        { type: `${name}_part.done`, ...part, part: { type: 'summary_text', text: said } },
        done,
      ]
    }
    case 'message': {
      const part = { ...at, content_index: 0 }
      return [
        added({ content: [] }),
        { type: 'response.content_part.added', ...part, part: { ...text, text: '' } },
        ...told('response.output_text', { content_index: 0, logprobs: [] }),
        { type: 'response.output_text.done', ...part, text: said, logprobs: [] },
        { type: 'response.content_part.done', ...part, part: text },
        done,
      ]
    }
    case 'function_call':
      return [
        added({ arguments: '' }),
        ...told('response.function_call_arguments'),
        { type: 'response.function_call_arguments.done', ...at, arguments: said },
        done,
      ]
    default:
      return [
        added({ input: '' }),
        ...told('response.custom_tool_call_input'),
        { type: 'response.custom_tool_call_input.done', ...at, input: said },
        done,
      ]
  }
}

/** Responds to a request with these items, streamed if the request asks for it. */
export async function answerResponse(
  seen: SeenRequest,
  response: ServerResponse,
  output: readonly ResponseItem[],
  { made }: { readonly made?: (id: string) => void } = {},
): Promise<void> {
  const { model, tools = [], store = true } = seen.body
  const begun = {
    id: idOf('resp'),
    object: 'response',
    created_at: 1_760_000_001,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools,
    top_p: 1,
    truncation: 'disabled',
    usage: null,
    metadata: {},
  }
  made?.(begun.id)
  const whole = { ...begun, status: 'completed', output, usage }
  if (seen.body['stream'] !== true) return json(response, whole)
  const events: readonly object[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...output.flatMap(itemEvents),
    { type: 'response.completed', response: whole },
  ]
  return sse(
    response,
    events.map((event, sequence_number) => {
      const { type, ...rest } = event as { type: string }
      return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...rest })}\n\n`
    }),
  )
}
