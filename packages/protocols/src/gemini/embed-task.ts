import { knownPurposeIn, type PurposeWords } from '../embed-purpose.ts'

/** Gemini's task types by the names that other embedding APIs use for them (https://ai.google.dev/api/embeddings#tasktype). */
const tasks: PurposeWords = {
  query: 'RETRIEVAL_QUERY',
  document: 'RETRIEVAL_DOCUMENT',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
  similarity: 'SEMANTIC_SIMILARITY',
}

/** The task types under their own names. */
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

/** The task type for an `input_type`; undefined if Gemini has no equivalent. */
export function taskTypeOf(inputType: string): string | undefined {
  const upper = inputType.toUpperCase()
  return knownPurposeIn(tasks, inputType) ?? (own.has(upper) ? upper : undefined)
}

/** The reverse translation, into the words that most upstreams know. */
export function inputTypeOf(taskType: string): string | undefined {
  if (taskType === 'RETRIEVAL_QUERY') return 'search_query'
  if (taskType === 'RETRIEVAL_DOCUMENT') return 'search_document'
  return own.has(taskType) ? taskType.toLowerCase() : undefined
}
