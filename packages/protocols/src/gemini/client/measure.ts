import { type Fields, isObject, listOf, objectOf, someText } from '@sluice/contract'
import {
  largestOf,
  type Measured,
  MediaList,
  type MediaKind,
  type ProviderTools,
  referencesIn,
} from '../../measure.ts'
import type { OutputLimit } from '../../output-limit.ts'
import { snakeCase } from '../letter-case.ts'
import { pick } from '../spelling.ts'
import { spelledPath } from '../spelled-path.ts'
import { GenerateContentRequest } from './schema.ts'

/** What a request of generateContent says about its size. Google reads two spellings of each name. */
export function measureContent(request: unknown): Measured {
  const fields = objectOf(request)
  const list = new MediaList()
  const contents = [...listOf(fields['contents']), pick(fields, 'systemInstruction')]
  for (const [index, content] of contents.entries())
    for (const part of listOf(objectOf(content)['parts']))
      addPart(list, objectOf(part), `contents[${index}]`)
  const thinking = configured(fields, 'thinkingConfig').map(objectOf)
  return {
    media: list.media,
    references: [
      ...list.references,
      ...referencesIn(GenerateContentRequest, fields, ['cachedContent', 'cached_content']),
    ],
    choices: largestOf(...configured(fields, 'candidateCount')) ?? 1,
    thinkingBudget: largestOf(...thinking.flatMap((one) => bothSpellings(one, 'thinkingBudget'))),
    offersTools: listOf(fields['tools']).length > 0,
    providerTools: providerTools(fields),
  }
}

function addPart(list: MediaList, part: Fields, path: string): void {
  const data = objectOf(pick(part, 'inlineData'))
  list.addBase64(data['data'], pick(data, 'mimeType'), 'document')
  const file = objectOf(pick(part, 'fileData'))
  if (pick(file, 'fileUri') != null) {
    const type = someText(pick(file, 'mimeType')) ?? ''
    const kind: MediaKind = type.startsWith('image/') ? 'image' : 'document'
    list.addReference(kind, `${path}.fileData.fileUri`)
  }
  const inner = objectOf(pick(part, 'functionResponse'))['parts']
  for (const each of listOf(inner)) addPart(list, objectOf(each), path)
}

/** The limit of the output. The configuration is added if the request has none. */
export const contentLimit: OutputLimit = {
  of: (request) => largestOf(...configured(objectOf(request), 'maxOutputTokens')),
  set(request, tokens) {
    const [config = ''] = spelledPath('generationConfig', request).split('.')
    return objectOf(request)[config] == null
      ? { path: [config], value: { maxOutputTokens: tokens } }
      : { path: [config, 'maxOutputTokens'], value: tokens }
  },
}

/** The values of a setting under all its spellings. */
function configured(request: Fields, name: string): readonly unknown[] {
  return bothSpellings(request, 'generationConfig').flatMap((config) =>
    bothSpellings(objectOf(config), name),
  )
}

function bothSpellings(fields: Fields, name: string): readonly unknown[] {
  return [fields[name], fields[snakeCase(name)]]
}

/** Members of a tool that the caller runs (https://ai.google.dev/api/caching#Tool). */
const callersTools: ReadonlySet<string> = new Set([
  'functionDeclarations',
  'function_declarations',
  'computerUse',
  'computer_use',
])

/** Google limits the searches of a request itself, and no request can. */
function providerTools(request: Fields): ProviderTools | undefined {
  for (const [index, tool] of listOf(request['tools']).entries()) {
    if (!isObject(tool)) continue
    const name = Object.keys(tool).find((key) => !callersTools.has(key) && tool[key] != null)
    if (name !== undefined)
      return { path: `tools[${index}].${name}`, uses: undefined, limitedBy: undefined }
  }
  return undefined
}
