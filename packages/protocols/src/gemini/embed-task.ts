/** Gemini's task types by the words other embedding APIs have for them (https://ai.google.dev/api/embeddings#tasktype). */
const tasks: Readonly<Record<string, string>> = {
  query: 'RETRIEVAL_QUERY',
  search_query: 'RETRIEVAL_QUERY',
  document: 'RETRIEVAL_DOCUMENT',
  passage: 'RETRIEVAL_DOCUMENT',
  search_document: 'RETRIEVAL_DOCUMENT',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
}

/** Types by their own names. */
const own: ReadonlySet<string> = new Set([
  'RETRIEVAL_QUERY',
  'RETRIEVAL_DOCUMENT',
  'SEMANTIC_SIMILARITY',
  'CLASSIFICATION',
  'CLUSTERING',
  'QUESTION_ANSWERING',
  'FACT_VERIFICATION',
  'CODE_RETRIEVAL_QUERY',
])

/** The task type of an `input_type`; undefined for a word that Gemini has nothing for. */
export function taskTypeOf(inputType: string): string | undefined {
  const upper = inputType.toUpperCase()
  return tasks[inputType.toLowerCase()] ?? (own.has(upper) ? upper : undefined)
}

/** The other way, in the words that most upstreams know. */
export function inputTypeOf(taskType: string): string | undefined {
  if (taskType === 'RETRIEVAL_QUERY') return 'search_query'
  if (taskType === 'RETRIEVAL_DOCUMENT') return 'search_document'
  return own.has(taskType) ? taskType.toLowerCase() : undefined
}
