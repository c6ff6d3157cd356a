// Streams of OpenAI's Responses (https://platform.openai.com/docs/api-reference/responses-streaming).
import { type Seeded, toolArguments } from './seeded.ts'

/** Texts of events are padded to this, so that their length does not tell the token. */
const paddedTo = 16

const tool = {
  type: 'function',
  description: 'Converts an amount of money from one currency to another.',
  name: 'convert',
  parameters: {
    type: 'object',
    properties: {
      amount: { type: 'number', description: 'The amount to convert.' },
      note: { type: 'string', description: 'Why it is asked.' },
      rate: {
        type: 'string',
        enum: ['daily', 'hourly', 'monthly', 'yearly'],
        default: 'daily',
        description: 'Which average of the rate is used.',
      },
    },
    required: ['amount', 'note', 'rate'],
    additionalProperties: false,
  },
  strict: true,
}

/** The response itself, in the events that begin and end it. */
function responseBy(random: Seeded) {
  const head = {
    id: `resp_${random.hex(50)}`,
    object: 'response',
    created_at: 1_760_000_000 + random.between(0, 30_000_000),
  }
  return (status: string, output: readonly object[], usage: object | null) => ({
    ...head,
    status,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    max_tool_calls: null,
    model: 'gpt-5.1-codex-max',
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    prompt_cache_key: null,
    prompt_cache_retention: null,
    reasoning: { effort: 'high', summary: 'detailed' },
    safety_identifier: null,
    service_tier: status === 'completed' ? 'default' : 'auto',
    store: false,
    temperature: 1,
    text: { format: { type: 'text' }, verbosity: 'medium' },
    tool_choice: 'auto',
    tools: [tool],
    top_logprobs: 0,
    top_p: 0.985,
    truncation: 'disabled',
    usage,
    user: null,
    metadata: {},
  })
}

/** An item of the output: the events that stream it, without their numbers, and itself when it is complete. */
interface Item {
  readonly events: readonly { readonly type: string; readonly [field: string]: unknown }[]
  readonly item: object
}

/** `fields` say where in the item a text belongs. */
function deltas(random: Seeded, type: string, fields: object, pieces: readonly string[]) {
  return pieces.map((delta) => {
    const padding = paddedTo - (JSON.stringify(delta).length - 2)
    const logprobs = type === 'response.output_text.delta' ? { logprobs: [] } : {}
    const obfuscation = random.letters(Math.max(1, padding))
    return { type, ...fields, delta, ...logprobs, obfuscation }
  })
}

function message(random: Seeded, output_index: number, length: number): Item {
  const item_id = `msg_${random.hex(50)}`
  const at = { item_id, output_index, content_index: 0 }
  const pieces = random.pieces(length - 5)
  const text = pieces.join('')
  const part = { type: 'output_text', annotations: [], logprobs: [], text: '' }
  const whole = { ...part, text }
  const begun = {
    id: item_id,
    type: 'message',
    status: 'in_progress',
    content: [],
    role: 'assistant',
  }
  const item = { ...begun, status: 'completed', content: [whole] }
  return {
    item,
    events: [
      { type: 'response.output_item.added', output_index, item: begun },
      { type: 'response.content_part.added', ...at, part },
      ...deltas(random, 'response.output_text.delta', at, pieces),
      { type: 'response.output_text.done', ...at, text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part: whole },
      { type: 'response.output_item.done', output_index, item },
    ],
  }
}

function reasoning(random: Seeded, output_index: number, length: number): Item {
  const item_id = `rs_${random.hex(50)}`
  const at = { item_id, output_index, summary_index: 0 }
  const pieces = random.pieces(length - 5)
  const text = pieces.join('')
  const part = { type: 'summary_text', text }
  const begun = {
    id: item_id,
    type: 'reasoning',
    encrypted_content: `gAAAAAB${random.letters(830)}`,
  }
  const encrypted_content = `gAAAAAB${random.letters(1_070)}`
  const item = { ...begun, encrypted_content, summary: [part] }
  return {
    item,
    events: [
      { type: 'response.output_item.added', output_index, item: { ...begun, summary: [] } },
      { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
      ...deltas(random, 'response.reasoning_summary_text.delta', at, pieces),
      { type: 'response.reasoning_summary_text.done', ...at, text },
      { type: 'response.reasoning_summary_part.done', ...at, part },
      { type: 'response.output_item.done', output_index, item },
    ],
  }
}

function functionCall(random: Seeded, output_index: number, length: number): Item {
  const item_id = `fc_${random.hex(50)}`
  const pieces = toolArguments(random, length - 3)
  const written = pieces.join('')
  const call_id = `call_${random.letters(24)}`
  const called = (status: string, text: string) => ({
    id: item_id,
    type: 'function_call',
    status,
    arguments: text,
    call_id,
    name: tool.name,
  })
  const at = { item_id, output_index }
  const item = called('completed', written)
  return {
    item,
    events: [
      { type: 'response.output_item.added', output_index, item: called('in_progress', '') },
      ...deltas(random, 'response.function_call_arguments.delta', at, pieces),
      { type: 'response.function_call_arguments.done', ...at, arguments: written },
      { type: 'response.output_item.done', output_index, item },
    ],
  }
}

function responseEvents(random: Seeded, items: readonly Item[]): readonly object[] {
  const response = responseBy(random)
  const begun = response('in_progress', [], null)
  const input = random.between(100, 999)
  const output = random.between(10, 99)
  const whole = items.map(({ item }) => item)
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  }
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap(({ events }) => events),
    { type: 'response.completed', response: response('completed', whole, usage) },
  ].map(({ type, ...event }, sequence_number) => ({ type, sequence_number, ...event }))
}

export function responsesText(random: Seeded, length: number): readonly object[] {
  return responseEvents(random, [message(random, 0, length - 3)])
}

/** Thinks, and then calls a tool twice: each for a third of the stream. */
export function responsesTools(random: Seeded, length: number): readonly object[] {
  const third = Math.floor((length - 3) / 3)
  return responseEvents(random, [
    reasoning(random, 0, third),
    functionCall(random, 1, third),
    functionCall(random, 2, third),
  ])
}
