import { type Fields, isObject, listOf, objectOf, someText } from '@sluice/contract'

/**
 * GroundingMetadata as chat's url_citation annotations: one for every source of every supported piece of text, and
 * for sources that support none, one without a place. Gemini counts UTF-8 bytes, chat characters.
 */
export function readAnnotations(candidate: Fields, text: string): readonly Fields[] {
  const metadata = objectOf(candidate['groundingMetadata'])
  const sources = listOf(metadata['groundingChunks']).map((chunk) =>
    objectOf(objectOf(chunk)['web']),
  )
  if (sources.length === 0) return []
  const bytes = Buffer.from(text)
  const cited = listOf(metadata['groundingSupports'])
    .filter(isObject)
    .flatMap((support) => citationsOf(support, sources, bytes))
  if (cited.length > 0) return cited
  return sources.flatMap((source) => citation(source, 0, 0))
}

function citationsOf(
  support: Fields,
  sources: readonly Fields[],
  bytes: Buffer,
): readonly Fields[] {
  const segment = objectOf(support['segment'])
  const start = characters(bytes, segment['startIndex'] ?? 0)
  const end = characters(bytes, segment['endIndex'] ?? 0)
  return listOf(support['groundingChunkIndices']).flatMap((index) =>
    citation(objectOf(sources[Number(index)]), start, end),
  )
}

function characters(bytes: Buffer, offset: unknown): number {
  return bytes.subarray(0, typeof offset === 'number' ? offset : 0).toString('utf8').length
}

function citation(source: Fields, start: number, end: number): readonly Fields[] {
  const url = someText(source['uri'])
  if (url === undefined) return []
  const title = someText(source['title']) ?? ''
  return [
    { type: 'url_citation', url_citation: { start_index: start, end_index: end, url, title } },
  ]
}

/**
 * The other way: what a Gemini client reads of an answer's citations. Without the text, whose bytes are counted, only
 * the sources are named.
 */
export function groundingMetadata(
  annotations: readonly Fields[],
  text: string,
): Fields | undefined {
  const citations = annotations
    .filter(({ type }) => type === 'url_citation')
    .map((annotation) => objectOf(annotation['url_citation']))
  if (citations.length === 0) return undefined
  const sources = citations.map(({ url, title }) => ({ web: { uri: url, title: title ?? '' } }))
  if (text === '') return { groundingChunks: sources }
  return {
    groundingChunks: sources,
    groundingSupports: citations.map((each, index) => {
      const startIndex = byteOffset(text, each['start_index'])
      const endIndex = byteOffset(text, each['end_index'])
      const said = Buffer.from(text).subarray(startIndex, endIndex).toString('utf8')
      return { segment: { startIndex, endIndex, text: said }, groundingChunkIndices: [index] }
    }),
  }
}

function byteOffset(text: string, offset: unknown): number {
  return Buffer.byteLength(text.slice(0, typeof offset === 'number' ? offset : 0))
}
