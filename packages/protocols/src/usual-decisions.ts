import type { Decisions } from './decisions.ts'

// Decisions that upstreams unlike OpenAI have in common. A codec decides about the remaining fields, so that a field added to
// an operation does not compile until each codec has decided about it.

export const usualChat = {
  model: 'sent',
  messages: 'sent',
  temperature: 'sent',
  top_p: 'sent',
  top_k: 'sent',
  stream: 'sent',
  stream_options: 'gateway',
  stop: 'sent',
  max_completion_tokens: 'sent',
  logit_bias: 'refused',
  prompt_cache_key: 'hint',
  tools: 'sent',
  tool_choice: 'sent',
  response_format: 'sent',
  reasoning_effort: 'sent',
  verbosity: 'hint',
  prediction: 'hint',
  store: 'hint',
  metadata: 'hint',
} as const satisfies Partial<Decisions<'chat'>>

/** What both of OpenAI's APIs for chat do. */
export const openaiChatDecisions = {
  model: 'sent',
  messages: 'sent',
  temperature: 'sent',
  top_p: 'sent',
  top_k: 'hint',
  stream: 'sent',
  stream_options: 'sent',
  max_completion_tokens: 'sent',
  logprobs: 'sent',
  top_logprobs: 'sent',
  user: 'sent',
  safety_identifier: 'sent',
  prompt_cache_key: 'sent',
  tools: 'sent',
  tool_choice: 'sent',
  parallel_tool_calls: 'sent',
  response_format: 'sent',
  reasoning_effort: 'sent',
  verbosity: 'sent',
  web_search_options: 'sent',
  server_tools: 'sent',
  service_tier: 'sent',
  store: 'sent',
  metadata: 'sent',
  thinking_budget: 'sent',
  cache_control: 'hint',
} as const satisfies Partial<Decisions<'chat'>>

export const usualEmbed = {
  model: 'sent',
  input: 'sent',
  encoding_format: 'gateway',
  user: 'hint',
} as const satisfies Partial<Decisions<'embed'>>

/** For creating and editing images. */
export const usualImages = {
  model: 'sent',
  prompt: 'sent',
  n: 'sent',
  size: 'sent',
  quality: 'refused',
  background: 'refused',
  response_format: 'sent',
  moderation: 'refused',
  partial_images: 'refused',
  user: 'hint',
  seed: 'sent',
} as const satisfies Partial<Decisions<'createImage'> & Decisions<'editImage'>>

export const usualRerank = {
  model: 'sent',
  query: 'sent',
  documents: 'sent',
  top_n: 'sent',
  return_documents: 'gateway',
  rank_fields: 'sent',
} as const satisfies Partial<Decisions<'rerank'>>

export const usualTranscribe = {
  file: 'sent',
  model: 'sent',
  response_format: 'sent',
  temperature: 'sent',
  timestamp_granularities: 'gateway',
  include: 'refused',
  chunking_strategy: 'refused',
  known_speaker_names: 'refused',
  known_speaker_references: 'refused',
} as const satisfies Partial<Decisions<'transcribe'>>

/** For upstreams that are told languages and words to listen for. */
export const guidedTranscribe: Decisions<'transcribe'> = {
  ...usualTranscribe,
  language: 'sent',
  prompt: 'sent',
  stream: 'gateway',
  languages: 'sent',
  keywords: 'sent',
}
