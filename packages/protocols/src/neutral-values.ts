import type { ContentPart } from '@sluice/contract'
import type { Reports } from './native-target.ts'

/** Values that ask for what an upstream does anyway, so that leaving the field out changes nothing. */
const neutral: Readonly<Record<string, readonly unknown[]>> = {
  background: ['auto', false],
  best_of: [0, 1],
  chunking_strategy: ['auto'],
  detail: ['auto'],
  echo: [false],
  encoding_format: ['float'],
  frequency_penalty: [0],
  input_fidelity: ['low'],
  instructions: [''],
  logprobs: [false],
  moderation: ['auto', false],
  n: [1],
  negative_prompt: [''],
  output_format: ['png'],
  parallel_tool_calls: [true],
  partial_images: [0],
  presence_penalty: [0],
  prompt: [''],
  prompt_extend: [false],
  quality: ['auto', 'standard'],
  reasoning_effort: ['none'],
  service_tier: ['auto', 'default'],
  speed: [1, 'standard'],
  store: [false],
  stream: [false],
  stream_format: ['audio'],
  suffix: [''],
  temperature: [1],
  thinking_budget: [0, -1],
  top_k: [0],
  top_logprobs: [0],
  top_p: [1],
  truncation: ['disabled'],
  verbosity: ['medium'],
  watermark: [false],
}

/** The fields with a value; clients write null for a field that they leave out. */
export function withoutNull(fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  )
}

/** Whether a field may be left out without reporting it. */
export function isNeutral(field: string, value: unknown): boolean {
  // Usage is requested in every stream, and sent to the callers that asked for it.
  if (value === undefined || value === null || field === 'stream_options') return true
  if (neutral[field]?.includes(value) === true) return true
  if (Array.isArray(value))
    return value.length === 0 || (field === 'modalities' && value.every((word) => word === 'text'))
  if (typeof value !== 'object') return false
  // An empty object still requests a search.
  if (field === 'web_search_options') return false
  if (field === 'response_format') return 'type' in value && value.type === 'text'
  return Object.keys(value).length === 0
}

/** Reports that the target does not support a level of detail for an image. */
export function reportUnsupportedDetail(
  { image_url: image }: ContentPart,
  path: string,
  { leftOut }: Pick<Reports, 'leftOut'>,
): void {
  if (!isNeutral('detail', image?.detail)) leftOut(`${path}.image_url.detail`)
}
