import { type Fields, isObject, isTextMessage, listOf, objectOf } from '@sluice/contract'
import {
  largestOf,
  type Measured,
  MediaList,
  plainMeasure,
  type ProviderTools,
  referencesIn,
} from '../../measure.ts'
import { ChatCompletionRequest, CompletionRequest } from './schema.ts'

/** What a chat completion request says about its size. */
export function measureChat(request: unknown): Measured {
  const fields = objectOf(request)
  const list = new MediaList()
  for (const [index, given] of listOf(fields['messages']).entries()) {
    if (isTextMessage(given)) continue
    const message = objectOf(given)
    const path = `messages[${index}]`
    for (const part of listOf(message['content'])) addPart(list, objectOf(part), path)
    for (const image of listOf(message['images']))
      list.addUrl(objectOf(objectOf(image)['image_url'])['url'], 'image', path)
    // An earlier spoken answer, which is kept for an hour.
    if (isObject(message['audio'])) list.addReference('audio', `${path}.audio`)
  }
  return {
    media: list.media,
    references: [...list.references, ...referencesIn(ChatCompletionRequest, fields, [])],
    choices: largestOf(fields['n']) ?? 1,
    thinkingBudget: largestOf(
      fields['thinking_budget'],
      objectOf(fields['thinking'])['budget_tokens'],
      objectOf(fields['reasoning'])['max_tokens'],
    ),
    offersTools: listOf(fields['tools']).length + listOf(fields['functions']).length > 0,
    providerTools: providerTools(fields),
  }
}

function addPart(list: MediaList, part: Fields, path: string): void {
  const { audio, file } = { audio: objectOf(part['input_audio']), file: objectOf(part['file']) }
  list.addUrl(objectOf(part['image_url'])['url'], 'image', path)
  list.addUrl(objectOf(part['video_url'])['url'], 'video', path)
  list.addBase64(audio['data'], undefined, 'audio')
  list.addUrl(file['file_data'], 'document', path)
  if (file['file_id'] != null) list.addReference('document', `${path}.file.file_id`)
}

/** Chat completions have no limit of the calls of such tools. */
function providerTools(request: Fields): ProviderTools | undefined {
  const isSearching = request['web_search_options'] != null
  const at = listOf(request['tools']).findIndex((tool) => !isCallers(objectOf(tool)))
  if (!isSearching && at === -1) return undefined
  const path = isSearching ? 'web_search_options' : `tools[${at}]`
  return { path, uses: undefined, limitedBy: undefined }
}

function isCallers({ type }: Fields): boolean {
  return type === 'function' || type === 'custom' || type === undefined || type === null
}

/** What a text completion request says about its size. Each of several prompts has as many answers. */
export function measureCompletion(request: unknown): Measured {
  const fields = objectOf(request)
  const { prompt } = fields
  const prompts = Array.isArray(prompt) && typeof prompt[0] !== 'number' ? prompt.length : 1
  return {
    ...plainMeasure,
    references: referencesIn(CompletionRequest, fields, []),
    choices: (largestOf(fields['n'], fields['best_of']) ?? 1) * Math.max(1, prompts),
  }
}

/** The pictures of a request to edit some, in its three forms. */
export function measureEdit(request: unknown): Measured {
  const fields = objectOf(request)
  const list = new MediaList()
  const { image, images, mask, input } = fields
  for (const one of [...listOf(image), ...listOf(images), mask]) {
    const { bytes, image_url: url, file_id: id } = objectOf(one)
    if (bytes !== undefined || id != null) list.addReference('image', 'image')
    list.addUrl(url, 'image', 'images')
  }
  for (const message of listOf(objectOf(input)['messages']))
    for (const part of listOf(objectOf(message)['content']))
      list.addUrl(objectOf(part)['image'], 'image', 'input')
  return { ...plainMeasure, media: list.media, references: list.references }
}
