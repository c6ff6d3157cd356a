/** The purpose of embedding vectors: as a search query, as a document to be found, or for comparison and grouping. */
type Purpose = 'query' | 'document' | 'classification' | 'clustering' | 'similarity'

/** The values that Cohere, Voyage, NVIDIA, Jina and Gemini use for each purpose, in lower case. */
const purposes: Readonly<Record<string, Purpose>> = {
  query: 'query',
  search_query: 'query',
  'retrieval.query': 'query',
  retrieval_query: 'query',
  document: 'document',
  passage: 'document',
  search_document: 'document',
  'retrieval.passage': 'document',
  retrieval_document: 'document',
  classification: 'classification',
  clustering: 'clustering',
  separation: 'clustering',
  'text-matching': 'similarity',
  semantic_similarity: 'similarity',
}

/** A provider's values; a purpose without one is sent as the caller wrote it. */
export type PurposeWords = Readonly<Partial<Record<Purpose, string>>>

/** A provider's value for the `input_type` of a request; undefined if it has none for that purpose. */
export function knownPurposeIn(words: PurposeWords, inputType: string): string | undefined {
  const purpose = purposes[inputType.toLowerCase()]
  return purpose && words[purpose]
}

/** A provider's value for the `input_type` of a request, or the caller's value if the provider has none for that purpose. */
export function purposeIn(words: PurposeWords, inputType: string): string {
  return knownPurposeIn(words, inputType) ?? inputType
}

/** Cohere's values, which other providers of its models accept as well. */
export const coherePurposes: PurposeWords = { query: 'search_query', document: 'search_document' }
