import {
  countOf,
  type Fields,
  isObject,
  listOf,
  objectOf,
  someText,
  textOf,
} from '@sluice/contract'
import { assertBounded, boundedList } from '../bounded.ts'
import {
  type Annotation,
  type Citation,
  fileCitation,
  noRange,
  readCitation,
  type TextRange,
  urlCitation,
} from '../citations.ts'
import { Excerpts } from '../said-text.ts'
import { BytePlaces } from './byte-places.ts'

/**
 * Reads a candidate's sources: GroundingMetadata, and the CitationMetadata of passages that the model repeats literally
 * (https://ai.google.dev/api/generate-content#GroundingMetadata). Every source of every supported range of the text becomes an
 * annotation. If no range is supported, every source becomes one without any. Gemini counts UTF-8 bytes, chat completions
 * count characters.
 *
 * In a stream, `sources` holds the chunks of the fragments before, because the indices continue over all fragments. The chunks
 * of this fragment are added to it.
 */
export function readAnnotations(
  candidate: Fields,
  text: BytePlaces,
  sources: Fields[] = [],
): readonly Annotation[] {
  const { groundingMetadata, citationMetadata } = candidate
  if (!isObject(groundingMetadata) && !isObject(citationMetadata)) return []
  const chunks = boundedList(objectOf(groundingMetadata)['groundingChunks'], 'citations').map(
    objectOf,
  )
  for (const chunk of chunks) sources.push(chunk)
  assertBounded(sources.length, 'citations')
  const supports = listOf(objectOf(groundingMetadata)['groundingSupports']).filter(isObject)
  let cites = 0
  const cited = supports.flatMap((support) => {
    cites += listOf(support['groundingChunkIndices']).length
    assertBounded(cites, 'citations')
    const range = rangeIn(text, objectOf(support['segment']))
    return listOf(support['groundingChunkIndices']).flatMap((index) =>
      chunkCitation(objectOf(sources[Number(index)]), range),
    )
  })
  const grounded =
    cited.length > 0 ? cited : chunks.flatMap((chunk) => chunkCitation(chunk, noRange))
  return [...grounded, ...repeated(objectOf(citationMetadata), text)]
}

/** Google's two APIs use different names for the list. */
function repeated(metadata: Fields, text: BytePlaces): readonly Annotation[] {
  return boundedList(metadata['citationSources'] ?? metadata['citations'], 'citations')
    .filter(isObject)
    .flatMap((source) => pageCitation(source, rangeIn(text, source)))
}

function rangeIn(text: BytePlaces, { startIndex, endIndex }: Fields): TextRange {
  const at = (offset: unknown) => text.unitsBefore(countOf(offset) ?? 0)
  return { start: at(startIndex), end: at(endIndex) }
}

function chunkCitation(chunk: Fields, range: TextRange): readonly Annotation[] {
  const { web, maps, image, retrievedContext: retrieved } = chunk
  if (!isObject(retrieved)) return pageCitation(objectOf(web ?? maps ?? image), range)
  const { title, text, documentName, mediaId, ...rest } = retrieved
  return [
    fileCitation(range, {
      file_id: documentName ?? mediaId,
      filename: title,
      quote: text,
      ...rest,
    }),
  ]
}

function pageCitation(page: Fields, range: TextRange): readonly Annotation[] {
  const url = someText(page['uri']) ?? someText(page['sourceUri'])
  return url === undefined ? [] : [urlCitation(range, { url, title: textOf(page['title']) })]
}

/**
 * The reverse translation: the sources of a response for a Gemini client. Files become results of a retrieval. A source
 * without a range of the text supports none of it.
 */
export function groundingMetadata(
  annotations: readonly Fields[],
  text: string,
): Fields | undefined {
  const citations = annotations.flatMap((annotation) => readCitation(annotation) ?? [])
  if (citations.length === 0) return undefined
  const places = new BytePlaces(text)
  const excerpts = new Excerpts()
  const supports = citations.flatMap(({ range }, index) => {
    if (range === undefined || range.end === 0) return []
    const startIndex = places.bytesBefore(range.start)
    const endIndex = places.bytesBefore(range.end)
    const excerpt = excerpts.of(text, range)
    const segment = { startIndex, endIndex, ...(excerpt === '' ? {} : { text: excerpt }) }
    return [{ segment, groundingChunkIndices: [index] }]
  })
  return {
    groundingChunks: citations.map(chunkOf),
    ...(supports.length === 0 ? {} : { groundingSupports: supports }),
  }
}

function chunkOf({ url, title, quote, fields }: Citation): Fields {
  if (url !== undefined) return { web: { uri: url, title } }
  const uri = someText(fields['uri'])
  return {
    retrievedContext: {
      ...(uri === undefined ? {} : { uri }),
      title,
      ...(quote === undefined ? {} : { text: quote }),
    },
  }
}
