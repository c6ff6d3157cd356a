import { type Fields, listOf, objectOf, someText } from '@sluice/contract'
import {
  largestOf,
  type Measured,
  MediaList,
  type ProviderTools,
  referencesIn,
} from '../../measure.ts'
import { isCallersTool } from './callers-tools.ts'
import { ResponsesRequest } from './schema.ts'

/** Fields of a request that name a stored part of the input. */
const keptFields = ['previous_response_id', 'conversation', 'prompt'] as const

/** What a request of the Responses API says about its size. */
export function measureResponse(request: unknown): Measured {
  const fields = objectOf(request)
  const list = new MediaList()
  for (const [index, given] of listOf(fields['input']).entries()) {
    const item = objectOf(given)
    const path = `input[${index}]`
    const { content, output, type, result } = item
    const parts = [...listOf(content), ...listOf(output), output].map(objectOf)
    for (const part of parts) addPart(list, part, path)
    if (type === 'item_reference') list.addReference('document', `${path}.id`)
    if (type === 'image_generation_call') {
      list.addBase64(result, 'image/png', 'image')
      if (result == null) list.addReference('image', path)
    }
  }
  return {
    media: list.media,
    references: [...list.references, ...referencesIn(ResponsesRequest, fields, keptFields)],
    choices: 1,
    thinkingBudget: undefined,
    offersTools: listOf(fields['tools']).length > 0,
    providerTools: providerTools(fields),
  }
}

function addPart(list: MediaList, part: Fields, path: string): void {
  const isImage = part['type'] === 'input_image' || part['type'] === 'computer_screenshot'
  list.addUrl(part['image_url'], 'image', path)
  list.addUrl(part['file_data'], 'document', `${path}.file_data`)
  list.addUrl(part['file_url'], 'document', `${path}.file_url`)
  list.addBase64(objectOf(part['input_audio'])['data'], undefined, 'audio')
  if (part['file_id'] != null) list.addReference(isImage ? 'image' : 'document', `${path}.file_id`)
}

/** Tools that the caller defined. */
const ownTools: ReadonlySet<string> = new Set(['function', 'custom', 'namespace'])

function runsAtProvider(tool: Fields): boolean {
  const kind = someText(tool['type'])
  if (kind === undefined || ownTools.has(kind)) return false
  // Which of the request's own tools the model reads.
  if (kind === 'tool_search') return false
  // Where a shell is that does not say so, OpenAI decides.
  if (kind === 'shell') return objectOf(tool['environment'])['type'] !== 'local'
  return !isCallersTool(tool) && tool['execution'] !== 'client'
}

function providerTools(request: Fields): ProviderTools | undefined {
  const added = listOf(request['input']).flatMap((item) => listOf(objectOf(item)['tools']))
  const at = listOf(request['tools']).findIndex((tool) => runsAtProvider(objectOf(tool)))
  if (at === -1 && !added.some((tool) => runsAtProvider(objectOf(tool)))) return compaction(request)
  return {
    path: at === -1 ? 'input' : `tools[${at}]`,
    uses: largestOf(request['max_tool_calls']),
    limitedBy: 'max_tool_calls',
  }
}

/** The model reads the conversation once more to compact it (OpenAI API, context_management). */
function compaction(request: Fields): ProviderTools | undefined {
  if (listOf(request['context_management']).length === 0) return undefined
  return { path: 'context_management', uses: 1, limitedBy: undefined }
}
