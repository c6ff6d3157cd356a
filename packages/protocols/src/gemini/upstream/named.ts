import { type Fields, listOf, objectOf, someText } from '@sluice/contract'
import type { NamedId } from '../../protocol.ts'
import { pick } from '../spelling.ts'

/**
 * Cached contents, and files of the Files API and of Cloud Storage, which are read with the gateway's credential
 * (https://ai.google.dev/api/caching, https://ai.google.dev/gemini-api/docs/files). A request to count tokens contains them
 * one level deeper.
 */
export function namedInGemini(body: unknown): readonly NamedId[] {
  const { generateContentRequest: inner } = objectOf(body)
  return inner === undefined
    ? namedIn(body, '')
    : [...namedIn(body, ''), ...namedIn(inner, 'generateContentRequest.')]
}

function namedIn(body: unknown, path: string): readonly NamedId[] {
  const fields = objectOf(body)
  const named: NamedId[] = []
  const cached = someText(pick(fields, 'cachedContent'))
  if (cached !== undefined) named.push({ id: cached, param: `${path}cachedContent` })
  addFiles(pick(fields, 'systemInstruction'), `${path}systemInstruction`, named)
  for (const [index, content] of listOf(fields['contents']).entries())
    addFiles(content, `${path}contents[${index}]`, named)
  for (const [index, tool] of listOf(fields['tools']).entries())
    addStores(objectOf(tool), `${path}tools[${index}]`, named)
  return named
}

/** What a tool searches: file search stores, and on Vertex also corpora and data stores. */
function addStores(tool: Fields, path: string, named: NamedId[]): void {
  const stores = listOf(pick(objectOf(pick(tool, 'fileSearch')), 'fileSearchStoreNames'))
  const retrieval = objectOf(tool['retrieval'])
  const { datastore, engine } = objectOf(pick(retrieval, 'vertexAiSearch'))
  const resources = listOf(pick(objectOf(pick(retrieval, 'vertexRagStore')), 'ragResources'))
  const corpora = resources.map((resource) => pick(objectOf(resource), 'ragCorpus'))
  for (const id of [...stores, datastore, engine, ...corpora].map(someText))
    if (id !== undefined) named.push({ id, param: path })
}

function addFiles(content: unknown, path: string, named: NamedId[]): void {
  for (const [index, part] of listOf(objectOf(content)['parts']).entries()) {
    const uri = someText(pick(objectOf(pick(objectOf(part), 'fileData')), 'fileUri'))
    if (uri !== undefined && isKept(uri))
      named.push({ id: uri, param: `${path}.parts[${index}].fileData.fileUri` })
  }
}

/** Whether it is not a public address but a file's name, `gs://`, or an address of the Files API. */
function isKept(uri: string): boolean {
  const url = URL.parse(uri)
  if (url === null || !/^https?:$/.test(url.protocol)) return true
  return url.hostname.endsWith('.googleapis.com') || /^\/v\d\w*\/files\//.test(url.pathname)
}
