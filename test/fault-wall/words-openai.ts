import { bytes, data, named, sse, type Words } from './words-form.ts'

const openaiUsage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
const openaiError = { message: 'Out of capacity', type: 'server_error', param: null, code: null }
const openaiRefusal = bytes(
  JSON.stringify({
    error: { message: 'It cannot be done', type: 'said', param: null, code: null },
  }),
)

export function chat(): Words {
  const head = { id: 'chatcmpl-up', created: 1_760_000_001, model: 'm' }
  const chunk = (delta: object, reason: string | null = null) =>
    data({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: reason, logprobs: null }],
    })
  const message = { role: 'assistant', content: 'Hello', refusal: null }
  const said = (content: string) => chunk({ content })
  return {
    ...sse,
    id: 'chat',
    preamble: [chunk({ role: 'assistant', content: '' })],
    content: [said('Hel'), said('lo')],
    ending: [
      chunk({}, 'stop'),
      data({ ...head, object: 'chat.completion.chunk', choices: [], usage: openaiUsage }),
      bytes('data: [DONE]\n\n'),
    ],
    idle: chunk({}),
    unknown: data({ ...head, object: 'surprise', choices: [] }),
    said,
    error: data({ error: openaiError }),
    whole: bytes(
      JSON.stringify({
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: 'stop', logprobs: null }],
        usage: openaiUsage,
      }),
    ),
    refusal: openaiRefusal,
  }
}

export function completions(): Words {
  const head = { id: 'cmpl-up', object: 'text_completion', created: 1_760_000_001, model: 'm' }
  const chunk = (text: string, reason: string | null = null) =>
    data({ ...head, choices: [{ index: 0, text, finish_reason: reason, logprobs: null }] })
  return {
    ...sse,
    id: 'completions',
    preamble: [chunk('')],
    content: [chunk('Hel'), chunk('lo')],
    ending: [
      chunk('', 'stop'),
      data({ ...head, choices: [], usage: openaiUsage }),
      bytes('data: [DONE]\n\n'),
    ],
    idle: chunk(''),
    unknown: data({ ...head, object: 'surprise', choices: [] }),
    said: (text) => chunk(text),
    error: data({ error: openaiError }),
    whole: bytes(
      JSON.stringify({
        ...head,
        choices: [{ index: 0, text: 'Hello', finish_reason: 'stop', logprobs: null }],
        usage: openaiUsage,
      }),
    ),
    refusal: openaiRefusal,
  }
}

export function responses(): Words {
  let sequence = 0
  const event = (type: string, fields: object) => {
    sequence += 1
    return named({ type, sequence_number: sequence - 1, ...fields })
  }
  const part = { type: 'output_text', text: 'Hello', annotations: [], logprobs: [] }
  const item = { id: 'msg_up', type: 'message', role: 'assistant' }
  const whole = { ...item, status: 'completed', content: [part] }
  const response = (status: string, output: readonly object[]) => ({
    id: 'resp_up',
    object: 'response',
    created_at: 1_760_000_001,
    status,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model: 'm',
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    store: false,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage:
      status === 'completed'
        ? {
            input_tokens: 7,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: 3,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: 10,
          }
        : null,
    metadata: {},
  })
  const place = { item_id: 'msg_up', output_index: 0, content_index: 0 }
  const said = (delta: string) => event('response.output_text.delta', { ...place, delta })
  return {
    ...sse,
    id: 'responses',
    preamble: [
      event('response.created', { response: response('in_progress', []) }),
      event('response.output_item.added', {
        output_index: 0,
        item: { ...item, status: 'in_progress', content: [] },
      }),
      event('response.content_part.added', { ...place, part: { ...part, text: '' } }),
    ],
    content: [said('Hel'), said('lo')],
    ending: [
      event('response.output_text.done', { ...place, text: 'Hello' }),
      event('response.content_part.done', { ...place, part }),
      event('response.output_item.done', { output_index: 0, item: whole }),
      event('response.completed', { response: response('completed', [whole]) }),
    ],
    idle: event('response.in_progress', { response: response('in_progress', []) }),
    unknown: event('response.surprise', {}),
    said,
    error: event('error', { code: 'server_error', message: 'Out of capacity', param: null }),
    whole: bytes(JSON.stringify(response('completed', [whole]))),
    refusal: openaiRefusal,
  }
}
