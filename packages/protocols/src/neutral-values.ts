/** The values by which a request says what an upstream does anyway, so that leaving the field out changes nothing. */
const neutral: Readonly<Record<string, readonly unknown[]>> = {
  n: [1],
  best_of: [1],
  temperature: [1],
  top_p: [1],
  top_k: [0],
  presence_penalty: [0],
  frequency_penalty: [0],
  logprobs: [false],
  top_logprobs: [0],
  parallel_tool_calls: [true],
  stream: [false],
  store: [false],
  echo: [false],
  verbosity: ['medium'],
  service_tier: ['auto', 'default'],
  suffix: [''],
  encoding_format: ['float'],
  speed: [1],
  stream_format: ['audio'],
}

/** Fields that never change what is answered: who asks, where to cache, what to note, what may make it faster. */
const hints: ReadonlySet<string> = new Set([
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'stream_options',
  'metadata',
  'prediction',
])

/** True where a field may be left out without a word. */
export function isNeutral(field: string, value: unknown): boolean {
  if (value === undefined || value === null || hints.has(field)) return true
  if (neutral[field]?.includes(value) === true) return true
  if (Array.isArray(value))
    return value.length === 0 || (field === 'modalities' && value.every((word) => word === 'text'))
  if (typeof value !== 'object') return false
  if (field === 'response_format') return 'type' in value && value.type === 'text'
  return Object.keys(value).length === 0
}
