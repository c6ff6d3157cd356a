import { type Fields, listOf, objectOf, someText } from '@sluice/contract'
import {
  largestOf,
  type Measured,
  MediaList,
  type MediaKind,
  type ProviderTools,
  referencesIn,
} from '../../measure.ts'
import { isCallersTool } from '../../tools/callers-tools.ts'
import { MessagesRequest } from './schema.ts'

/** What a request of the Messages API says about its size. */
export function measureMessages(request: unknown): Measured {
  const fields = objectOf(request)
  const list = new MediaList()
  for (const [index, message] of listOf(fields['messages']).entries())
    addBlocks(list, objectOf(message)['content'], `messages[${index}].content`)
  const { thinking, thread } = fields
  const { previous_message_id: previous } = objectOf(thread)
  return {
    media: list.media,
    references: [
      ...list.references,
      ...(previous == null ? [] : ['thread.previous_message_id']),
      ...referencesIn(MessagesRequest, fields, []),
    ],
    choices: 1,
    thinkingBudget: largestOf(objectOf(thinking)['budget_tokens']),
    offersTools: listOf(fields['tools']).length > 0,
    providerTools: providerTools(fields),
  }
}

/** Results of tools and documents have blocks inside. */
function addBlocks(list: MediaList, blocks: unknown, path: string): void {
  for (const [index, given] of listOf(blocks).entries()) {
    const block = objectOf(given)
    const place = `${path}[${index}]`
    const kind: MediaKind = block['type'] === 'image' ? 'image' : 'document'
    const source = objectOf(block['source'])
    list.addBase64(source['data'], sourceType(source), kind)
    if (source['url'] != null) list.addReference(kind, `${place}.source.url`)
    for (const holder of [source, block])
      if (holder['file_id'] != null) list.addReference(kind, `${place}.file_id`)
    addBlocks(list, source['content'], `${place}.source.content`)
    addBlocks(list, block['content'], `${place}.content`)
  }
}

/** A source of type `text` holds the text itself. */
function sourceType({ type, media_type: mediaType }: Fields): unknown {
  return type === 'text' ? 'text/plain' : mediaType
}

/** It looks only at what is in the request, which counts already (Claude docs, tool search tool). */
const searchesTools = /^tool_search_tool_/

function providerTools(request: Fields): ProviderTools | undefined {
  const tools = listOf(request['tools']).map(objectOf)
  const own = tools
    .map((tool, index) => ({ tool, path: `tools[${index}]` }))
    .filter(({ tool }) => runsAtProvider(tool))
  if (listOf(request['mcp_servers']).length > 0)
    return { path: 'mcp_servers', uses: undefined, limitedBy: undefined }
  const [first] = own
  if (!first) return compaction(request)
  const uses = own.map(({ tool }) => tool['max_uses'])
  const isLimited = uses.every((count) => typeof count === 'number')
  return {
    path: first.path,
    uses: isLimited ? uses.reduce((sum, count) => sum + count, 0) : undefined,
    limitedBy: `${first.path}.max_uses`,
  }
}

function runsAtProvider(tool: Fields): boolean {
  const kind = someText(tool['type'])
  if (kind === undefined || kind === 'custom' || isCallersTool(tool)) return false
  return !searchesTools.test(kind)
}

/** The model reads the conversation once more to summarize it (Claude docs, compaction). */
function compaction(request: Fields): ProviderTools | undefined {
  const edits = listOf(objectOf(request['context_management'])['edits']).map(objectOf)
  const compacts = edits.some(({ type }) => someText(type)?.startsWith('compact_') === true)
  if (!compacts && request['compaction'] == null) return undefined
  return { path: 'context_management', uses: 1, limitedBy: undefined }
}
