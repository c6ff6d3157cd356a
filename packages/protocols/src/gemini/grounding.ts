import {
  countOf,
  type Fields,
  isObject,
  listOf,
  objectOf,
  someText,
  textOf,
} from '@sluice/contract'
import { assertBounded } from '../bounded.ts'
import {
  type Annotation,
  type Citation,
  fileCitation,
  noPlace,
  type Place,
  readCitation,
  urlCitation,
} from '../citations.ts'
import { BytePlaces } from './byte-places.ts'

/**
 * What a candidate says of its sources: GroundingMetadata, and the CitationMetadata of what it repeats word for word
 * (https://ai.google.dev/api/generate-content#GroundingMetadata). Every source of every supported piece of text is an
 * annotation, and where none is supported, every source without a place. Gemini counts UTF-8 bytes, chat characters.
 *
 * `sources` are the chunks of the fragments before, in a stream: indices count through them all. Those of this one are
 * added.
 */
export function readAnnotations(
  candidate: Fields,
  text: BytePlaces,
  sources: Fields[] = [],
): readonly Annotation[] {
  const { groundingMetadata, citationMetadata } = candidate
  if (!isObject(groundingMetadata) && !isObject(citationMetadata)) return []
  const chunks = listOf(objectOf(groundingMetadata)['groundingChunks']).map(objectOf)
  for (const chunk of chunks) sources.push(chunk)
  const supports = listOf(objectOf(groundingMetadata)['groundingSupports']).filter(isObject)
  let cites = 0
  const cited = supports.flatMap((support) => {
    cites += listOf(support['groundingChunkIndices']).length
    assertBounded(cites, 'citations')
    const place = placeIn(text, objectOf(support['segment']))
    return listOf(support['groundingChunkIndices']).flatMap((index) =>
      chunkCitation(objectOf(sources[Number(index)]), place),
    )
  })
  const grounded =
    cited.length > 0 ? cited : chunks.flatMap((chunk) => chunkCitation(chunk, noPlace))
  return [...grounded, ...repeated(objectOf(citationMetadata), text)]
}

/** Google's two APIs name the list differently. */
function repeated(metadata: Fields, text: BytePlaces): readonly Annotation[] {
  return listOf(metadata['citationSources'] ?? metadata['citations'])
    .filter(isObject)
    .flatMap((source) => pageCitation(source, placeIn(text, source)))
}

function placeIn(text: BytePlaces, { startIndex, endIndex }: Fields): Place {
  const at = (offset: unknown) => text.unitsBefore(countOf(offset) ?? 0)
  return { start: at(startIndex), end: at(endIndex) }
}

function chunkCitation(chunk: Fields, place: Place): readonly Annotation[] {
  const { web, maps, image, retrievedContext: retrieved } = chunk
  if (!isObject(retrieved)) return pageCitation(objectOf(web ?? maps ?? image), place)
  const { title, text, documentName, mediaId, ...rest } = retrieved
  return [
    fileCitation(place, {
      file_id: documentName ?? mediaId,
      filename: title,
      quote: text,
      ...rest,
    }),
  ]
}

function pageCitation(page: Fields, place: Place): readonly Annotation[] {
  const url = someText(page['uri']) ?? someText(page['sourceUri'])
  return url === undefined ? [] : [urlCitation(place, { url, title: textOf(page['title']) })]
}

/**
 * The other way: what a Gemini client reads of an answer's sources. Files are what a retrieval found. A source without
 * a place in the text supports none.
 */
export function groundingMetadata(
  annotations: readonly Fields[],
  text: string,
): Fields | undefined {
  const citations = annotations.flatMap((annotation) => readCitation(annotation) ?? [])
  if (citations.length === 0) return undefined
  const places = new BytePlaces(text)
  const supports = citations.flatMap(({ place }, index) => {
    if (place === undefined || place.end === 0) return []
    const startIndex = places.bytesBefore(place.start)
    const endIndex = places.bytesBefore(place.end)
    const said = text.slice(place.start, place.end)
    return [{ segment: { startIndex, endIndex, text: said }, groundingChunkIndices: [index] }]
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
