import { type Fields, isObject, listOf, objectOf, textOf } from '@sluice/contract'
import { plainId } from '../../call-state.ts'
import { messagePaths, type MessagePlaces } from '../../message-places.ts'
import { canonicalPrompt } from './request.ts'
import type { CountTokensRequest } from './schema.ts'

/** Converts a canonical path into messages to one of the Messages API. */
export const pathInMessages = messagePaths({
  // The request was validated with the format's schema.
  toCanonical: (request, context) => canonicalPrompt(request as CountTokensRequest, context),
  placesOf,
  words: [
    [/\.(image_url|file)\.(url|file_data)/, '.source'],
    [/\.function\.arguments/, '.input'],
    [/\.function\.name/, '.name'],
    [/^\.tool_calls\[\d+\]\.id/, '.id'],
    [/\.tool_call_id/, '.tool_use_id'],
  ],
})

interface Placed {
  readonly block: Fields
  readonly path: string
}

function blocksIn(content: unknown, path: string): readonly Placed[] {
  return listOf(content).flatMap((block, index) =>
    isObject(block) ? [{ block, path: `${path}.content[${index}]` }] : [],
  )
}

/** The content of tool results comes before the rest of their message. */
function placesOf(request: unknown): MessagePlaces {
  const messages = listOf(objectOf(request)['messages']).map((message, index) =>
    blocksIn(objectOf(message)['content'], `messages[${index}]`),
  )
  const results = messages.flat().filter(({ block }) => block['type'] === 'tool_result')
  const media = messages.flatMap((blocks) => [
    ...blocks
      .filter(({ block }) => block['type'] === 'tool_result')
      .flatMap(({ block, path }) => blocksIn(block['content'], path)),
    ...blocks,
  ])
  return {
    media: media.filter(isMedium).map(({ path }) => path),
    calls: messages
      .flat()
      .filter(({ block }) => block['type'] === 'tool_use')
      .map(({ path }) => path),
    thought: messages.flat().find(({ block }) => textOf(block['type']).endsWith('thinking'))?.path,
    results: new Map(
      results.map(({ block, path }) => [plainId(textOf(block['tool_use_id'])), path]),
    ),
  }
}

/** Text documents are converted to text. */
function isMedium({ block }: Placed): boolean {
  const { type } = objectOf(block['source'])
  return (
    block['type'] === 'image' ||
    (block['type'] === 'document' && type !== 'text' && type !== 'content')
  )
}
