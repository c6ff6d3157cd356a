import { listOf, objectOf, textOf } from '@sluice/contract'
import { plainId } from '../../call-state.ts'
import { messagePaths, type MessagePlaces } from '../../message-places.ts'
import { toolsOfCall } from './callers-tools.ts'
import { canonicalOf } from './request.ts'
import type { ResponsesRequest } from './schema.ts'

/** Translates a path in the canonical messages into a path in a Responses request. */
export const pathInInput = messagePaths({
  // The schema of the format has been applied.
  toCanonical: (request, context) => canonicalOf(request as ResponsesRequest, context),
  placesOf,
  words: [
    [/\.image_url\.detail/, '.detail'],
    [/\.image_url/, '.image_url'],
    [/\.file\.file_id/, '.file_id'],
    [/\.file\.filename/, '.filename'],
    [/\.file/, '.file_data'],
    [/\.input_audio/, '.input_audio'],
    [/\.function\.arguments/, '.arguments'],
    [/\.custom\.input/, '.input'],
    [/\.(function|custom)\.name/, '.name'],
    [/^\.tool_calls\[\d+\]\.id|\.tool_call_id/, '.call_id'],
  ],
})

const media: ReadonlySet<unknown> = new Set(['input_image', 'input_file', 'input_audio'])

function mediaIn(content: unknown, path: string): readonly string[] {
  return listOf(content).flatMap((part, index) =>
    media.has(objectOf(part)['type']) ? [`${path}[${index}]`] : [],
  )
}

function placesOf(request: unknown): MessagePlaces {
  const items = listOf(objectOf(request)['input']).map((item, index) => ({
    item: objectOf(item),
    type: textOf(objectOf(item)['type']),
    path: `input[${index}]`,
  }))
  return {
    media: items.flatMap(({ item, type, path }) => [
      ...(item['role'] === 'assistant' ? [] : mediaIn(item['content'], `${path}.content`)),
      ...mediaIn(item['output'], `${path}.output`),
      ...(type === 'image_generation_call' ? [path] : []),
    ]),
    calls: items
      .filter(({ item, type }) => isCall(type) && item['call_id'] != null)
      .map(({ path }) => path),
    thought: items.find(({ type }) => type === 'reasoning')?.path,
    results: new Map(
      items
        .filter(({ type }) => type.endsWith('_output'))
        .map(({ item, path }) => [plainId(textOf(item['call_id'])), path]),
    ),
  }
}

const calls = /^(function|custom_tool|tool_search)_call$/

function isCall(type: string): boolean {
  return calls.test(type) || (toolsOfCall(type) !== undefined && !type.endsWith('_output'))
}
