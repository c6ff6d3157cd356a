import { type Fields, isObject, listOf, objectOf } from '@sluice/contract'
import { messagePaths, type MessagePlaces } from '../../message-places.ts'
import { pick } from './fields.ts'
import { chatRequestOf } from './request.ts'

/**
 * Translates a path in the canonical messages into a path in Gemini's contents. If an image has no resolution of its own, the
 * path of the resolution of the whole request is returned.
 */
export function pathInContents(canonical: string, request: unknown): string | undefined {
  const path = pathOf(canonical, request)
  const [, content, part] =
    /^contents\[(\d+)\]\.parts\[(\d+)\]\.mediaResolution$/.exec(path ?? '') ?? []
  if (content === undefined) return path
  const { parts } = objectOf(listOf(objectOf(request)['contents'])[Number(content)])
  const own = pick(objectOf(listOf(parts)[Number(part)]), 'mediaResolution')
  return own === undefined ? 'generationConfig.mediaResolution' : path
}

const pathOf = messagePaths({
  toCanonical: (request, context) => chatRequestOf(objectOf(request), context),
  placesOf,
  words: [
    [/\.image_url\.detail/, '.mediaResolution'],
    [/\.function\.arguments/, '.functionCall.args'],
    [/\.function\.name/, '.functionCall.name'],
    [/^\.tool_calls\[\d+\]\.id/, '.functionCall.id'],
    [/\.tool_call_id/, '.functionResponse'],
  ],
})

function placesOf(request: unknown): MessagePlaces {
  const parts = listOf(objectOf(request)['contents']).flatMap((content, index) =>
    listOf(objectOf(content)['parts'])
      .filter(isObject)
      .map((part, place) => ({ part, path: `contents[${index}].parts[${place}]` })),
  )
  const holding = (names: readonly string[]) =>
    parts.filter(({ part }) => names.some((name) => isObject(pick(part, name))))
  return {
    media: holding(['inlineData', 'fileData']).map(({ path }) => path),
    calls: holding(['functionCall']).map(({ path }) => path),
    results: new Map(
      holding(['functionResponse']).map(({ part, path }) => [responseId(part), path]),
    ),
  }
}

function responseId(part: Fields): unknown {
  return objectOf(pick(part, 'functionResponse'))['id']
}
