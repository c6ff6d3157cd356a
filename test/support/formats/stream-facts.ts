/**
 * The fields that providers send in the events of a stream, by kind of event, as their documentation shows them. The gateway's
 * writers are held to `always`, and recordings of the providers, where there are any, hold this table to what they send.
 *
 * A path names the fields from the top, `[]` being each element of a list.
 */
export type Fields = Readonly<Record<string, unknown>>

export interface EventFacts {
  /** Fields that each event of the kind has. */
  readonly always: string
  /** Fields that depend on the model, the request or the account. */
  readonly sometimes?: string
}

export interface StreamFacts {
  /** The provider's page. */
  readonly source: string
  /** Streams of this format among the recordings. */
  readonly recorded: RegExp
  readonly kindOf: (event: Fields, place: number) => string
  readonly kinds: Readonly<Record<string, EventFacts>>
  /** Paths below which everything depends on the request or on what was said. */
  readonly open: readonly string[]
}

const at = (event: Fields, ...names: readonly (string | number)[]): unknown =>
  names.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null ? (value as Fields)[name] : undefined,
    event,
  )

const candidate =
  'candidates candidates[].content candidates[].content.parts candidates[].content.role candidates[].index'
const contentUsage =
  'usageMetadata usageMetadata.promptTokenCount usageMetadata.candidatesTokenCount usageMetadata.totalTokenCount usageMetadata.promptTokensDetails usageMetadata.promptTokensDetails[].modality usageMetadata.promptTokensDetails[].tokenCount'
const fragment = `${candidate} ${contentUsage} modelVersion responseId`
const thoughtTokens = 'usageMetadata.thoughtsTokenCount'

const messageUsage = (path: string): string =>
  ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens']
    .map((name) => `${path}.${name}`)
    .join(' ')

const chunk = 'id object created model choices system_fingerprint'
const choice = 'choices[].index choices[].delta choices[].finish_reason choices[].logprobs'
const chunkOptions = 'service_tier obfuscation'
const completionUsage = 'usage usage.prompt_tokens usage.completion_tokens usage.total_tokens'
const usageDetails =
  'usage.prompt_tokens_details usage.prompt_tokens_details.cached_tokens usage.prompt_tokens_details.audio_tokens usage.completion_tokens_details usage.completion_tokens_details.reasoning_tokens usage.completion_tokens_details.audio_tokens'
const predictionTokens =
  'usage.completion_tokens_details.accepted_prediction_tokens usage.completion_tokens_details.rejected_prediction_tokens'

const response = [
  'background created_at error id incomplete_details instructions max_output_tokens max_tool_calls metadata model object',
  'output parallel_tool_calls previous_response_id prompt_cache_key prompt_cache_retention reasoning reasoning.effort',
  'reasoning.summary safety_identifier service_tier status store temperature text text.format text.format.type',
  'text.verbosity tool_choice tools top_logprobs top_p truncation usage user',
]
  .join(' ')
  .split(' ')
  .map((name) => `response.${name}`)
  .join(' ')
const responseUsage =
  'response.usage.input_tokens response.usage.input_tokens_details response.usage.input_tokens_details.cached_tokens response.usage.output_tokens response.usage.output_tokens_details response.usage.output_tokens_details.reasoning_tokens response.usage.total_tokens'
const numbered = 'type sequence_number'
const inItem = `${numbered} item_id output_index`
const item = `${numbered} output_index item item.id item.type`
const called = 'item.arguments item.call_id item.name item.status'
const said = 'item.content item.role item.status'
const thought = 'item.summary'
const part = 'part part.type part.text part.annotations part.logprobs'

function responseKind(event: Fields): string {
  const inner = at(event, 'item', 'type') ?? at(event, 'part', 'type')
  return inner === undefined ? String(event['type']) : `${String(event['type'])} ${String(inner)}`
}

/** By path of the gateway's address. */
export const streamFacts = {
  streamGenerateContent: {
    source: 'https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse',
    recorded: /^google\//,
    kindOf: (event, place) => {
      if (at(event, 'candidates', 0, 'finishReason') !== undefined) return 'last'
      return place === 0 ? 'first' : 'middle'
    },
    kinds: {
      first: { always: fragment, sometimes: thoughtTokens },
      middle: { always: fragment, sometimes: thoughtTokens },
      last: { always: `${fragment} candidates[].finishReason`, sometimes: thoughtTokens },
    },
    open: ['candidates[].content.parts'],
  },
  messages: {
    source: 'https://docs.claude.com/en/docs/build-with-claude/streaming',
    // Two are of servers that are not Anthropic's own.
    recorded: /^anthropic\/(?!duplicate|anthropic-message-delta)/,
    kindOf: (event) => {
      const inner = at(event, 'content_block', 'type') ?? at(event, 'delta', 'type')
      return [event['type'], inner].filter((name) => name !== undefined).join(' ')
    },
    kinds: {
      message_start: {
        always: `type message message.id message.type message.role message.model message.content message.stop_reason message.stop_sequence message.usage ${messageUsage('message.usage')} message.usage.cache_creation message.usage.cache_creation.ephemeral_5m_input_tokens message.usage.cache_creation.ephemeral_1h_input_tokens message.usage.service_tier`,
        sometimes: 'message.stop_details message.usage.inference_geo',
      },
      'content_block_start text': {
        always: 'type index content_block content_block.type content_block.text',
      },
      'content_block_start thinking': {
        always:
          'type index content_block content_block.type content_block.thinking content_block.signature',
      },
      'content_block_start redacted_thinking': {
        always: 'type index content_block content_block.type content_block.data',
      },
      'content_block_start tool_use': {
        always:
          'type index content_block content_block.type content_block.id content_block.name content_block.input',
        sometimes: 'content_block.caller content_block.caller.type',
      },
      'content_block_delta text_delta': { always: 'type index delta delta.type delta.text' },
      'content_block_delta thinking_delta': {
        always: 'type index delta delta.type delta.thinking',
      },
      'content_block_delta signature_delta': {
        always: 'type index delta delta.type delta.signature',
      },
      'content_block_delta input_json_delta': {
        always: 'type index delta delta.type delta.partial_json',
      },
      content_block_stop: { always: 'type index' },
      ping: { always: 'type' },
      message_delta: {
        always: `type delta delta.stop_reason delta.stop_sequence usage ${messageUsage('usage')}`,
        sometimes:
          'delta.stop_details context_management context_management.applied_edits delta.container usage.output_tokens_details usage.output_tokens_details.thinking_tokens',
      },
      message_stop: { always: 'type' },
    },
    open: ['usage.iterations', 'delta.stop_details'],
  },
  chat: {
    source: 'https://platform.openai.com/docs/api-reference/chat-streaming/streaming',
    recorded: /^openai\/openai-text\./,
    kindOf: (event, place) => {
      if (at(event, 'choices', 0) === undefined) return 'usage'
      if (at(event, 'choices', 0, 'finish_reason') != null) return 'finish'
      return place === 0 ? 'first' : 'middle'
    },
    kinds: {
      first: {
        always: `${chunk} ${choice} choices[].delta.role choices[].delta.content choices[].delta.refusal usage`,
        sometimes: chunkOptions,
      },
      middle: {
        always: `${chunk} ${choice} usage`,
        sometimes: `${chunkOptions} choices[].delta.content choices[].delta.reasoning_content choices[].delta.tool_calls`,
      },
      finish: { always: `${chunk} ${choice} usage`, sometimes: chunkOptions },
      usage: {
        always: `${chunk} ${completionUsage} ${usageDetails}`,
        sometimes: `${chunkOptions} ${predictionTokens} usage.prompt_tokens_details.text_tokens usage.prompt_tokens_details.image_tokens usage.completion_tokens_details.text_tokens`,
      },
    },
    open: ['choices[].delta.tool_calls', 'choices[].delta.thinking_blocks'],
  },
  completions: {
    source: 'https://platform.openai.com/docs/api-reference/completions/object',
    recorded: /^openai\/openai-completion-text\./,
    kindOf: (event, place) => {
      if (at(event, 'choices', 0) === undefined) return 'usage'
      return place === 0 ? 'first' : 'middle'
    },
    kinds: {
      first: {
        always:
          'id object created model choices choices[].text choices[].index choices[].logprobs choices[].finish_reason usage',
        sometimes: 'system_fingerprint',
      },
      middle: {
        always:
          'id object created model choices choices[].text choices[].index choices[].logprobs choices[].finish_reason usage',
        sometimes: 'system_fingerprint',
      },
      usage: {
        always: `id object created model choices ${completionUsage}`,
        sometimes: `system_fingerprint ${usageDetails} usage.prompt_tokens_details.text_tokens usage.prompt_tokens_details.image_tokens usage.completion_tokens_details.text_tokens`,
      },
    },
    open: [],
  },
  responses: {
    source: 'https://platform.openai.com/docs/api-reference/responses-streaming',
    recorded: /^openai\/openai-(?:reasoning-encrypted-content|error)\.1\./,
    kindOf: responseKind,
    kinds: {
      'response.created': {
        always: `${numbered} response ${response}`,
        sometimes: 'response.completed_at',
      },
      'response.in_progress': {
        always: `${numbered} response ${response}`,
        sometimes: 'response.completed_at',
      },
      'response.completed': {
        always: `${numbered} response ${response} ${responseUsage}`,
        sometimes: 'response.completed_at response.usage.input_tokens_details.cache_write_tokens',
      },
      'response.failed': {
        always: `${numbered} response ${response} response.error.code response.error.message`,
        sometimes: 'response.completed_at',
      },
      error: {
        always: numbered,
        sometimes: 'error error.type error.code error.message error.param',
      },
      'response.output_item.added message': { always: `${item} ${said}`, sometimes: 'item.phase' },
      'response.output_item.done message': { always: `${item} ${said}`, sometimes: 'item.phase' },
      'response.output_item.added function_call': { always: `${item} ${called}` },
      'response.output_item.done function_call': { always: `${item} ${called}` },
      'response.output_item.added reasoning': {
        always: `${item} ${thought}`,
        sometimes: 'item.encrypted_content item.status item.content',
      },
      'response.output_item.done reasoning': {
        always: `${item} ${thought}`,
        sometimes: 'item.encrypted_content item.status item.content',
      },
      'response.content_part.added output_text': { always: `${inItem} content_index ${part}` },
      'response.content_part.done output_text': { always: `${inItem} content_index ${part}` },
      'response.output_text.delta': {
        always: `${inItem} content_index delta logprobs`,
        sometimes: 'obfuscation',
      },
      'response.output_text.done': { always: `${inItem} content_index text logprobs` },
      'response.function_call_arguments.delta': {
        always: `${inItem} delta`,
        sometimes: 'obfuscation',
      },
      'response.function_call_arguments.done': {
        always: `${inItem} arguments`,
        sometimes: 'name',
      },
      'response.reasoning_summary_part.added summary_text': {
        always: `${inItem} summary_index part part.type part.text`,
      },
      'response.reasoning_summary_part.done summary_text': {
        always: `${inItem} summary_index part part.type part.text`,
      },
      'response.reasoning_summary_text.delta': {
        always: `${inItem} summary_index delta`,
        sometimes: 'obfuscation',
      },
      'response.reasoning_summary_text.done': { always: `${inItem} summary_index text` },
    },
    open: [
      'response.tools',
      'response.output',
      'response.tool_choice',
      'item.content',
      'item.summary',
    ],
  },
} as const satisfies Readonly<Record<string, StreamFacts>>

/** The paths of all fields of an event. */
export function pathsIn(event: unknown, open: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (value: unknown, path: string): void => {
    if (open.includes(path)) return
    if (Array.isArray(value)) for (const one of value) visit(one, `${path}[]`)
    else if (typeof value === 'object' && value !== null)
      for (const [name, field] of Object.entries(value)) {
        const inner = path === '' ? name : `${path}.${name}`
        found.add(inner)
        visit(field, inner)
      }
  }
  visit(event, '')
  return found
}

export const namesOf = (list = ''): readonly string[] => list.split(' ').filter((one) => one !== '')
