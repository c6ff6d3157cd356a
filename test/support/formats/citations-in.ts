import { listOf, objectOf } from '../../../packages/contract/src/wire/reading.ts'
import type { Face } from '../clients/client-formats.ts'

type Fields = Readonly<Record<string, unknown>>

/** The JSON documents of a response: the whole response, or the data of every event. */
export function documentsIn(wire: string, stream: boolean): readonly Fields[] {
  if (!stream) return [objectOf(JSON.parse(wire))]
  return wire
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => objectOf(JSON.parse(line.slice('data: '.length))))
}

/** The citations of a response in the form of its format, without their positions in the source. */
export function citationsIn(face: Face, wire: string, stream: boolean): readonly Fields[] {
  const documents = documentsIn(wire, stream)
  switch (face) {
    case 'chat': {
      const said = documents
        .flatMap((document) => listOf(document['choices']).map(objectOf))
        .map(({ message, delta }) => objectOf(message ?? delta))
      return ['annotations', 'file_citations'].flatMap((field) =>
        said.flatMap((each) => listOf(each[field]).map(objectOf)),
      )
    }
    case 'messages':
      return documents.flatMap((document) =>
        stream
          ? listOf([objectOf(document['delta'])['citation']].filter(Boolean)).map(objectOf)
          : listOf(document['content']).flatMap((block) =>
              listOf(objectOf(block)['citations']).map(objectOf),
            ),
      )
    case 'responses': {
      const last = documents.at(-1) ?? {}
      return listOf(objectOf(stream ? last['response'] : last)['output'])
        .flatMap((item) => listOf(objectOf(item)['content']))
        .flatMap((part) => listOf(objectOf(part)['annotations']).map(objectOf))
    }
    case 'generateContent':
      return documents
        .flatMap((document) => listOf(document['candidates']).map(objectOf))
        .flatMap(({ groundingMetadata }) => groundingIn(objectOf(groundingMetadata)))
  }
}

/** Each source with the passage of the text that it supports. */
function groundingIn({ groundingChunks, groundingSupports }: Fields): readonly Fields[] {
  const supports = listOf(groundingSupports).map(objectOf)
  return listOf(groundingChunks).map((chunk, index) => {
    const support = supports.find(({ groundingChunkIndices: at }) => listOf(at).includes(index))
    const said = objectOf(support?.['segment'])['text']
    return { ...objectOf(chunk), ...(said === undefined ? {} : { said }) }
  })
}
