import { type Fields, isObject, listOf, objectOf, textOf } from '@sluice/contract'
import { openaiMaxima } from '../../families/chat-models.ts'
import { hasOnly, isTextMessage, usualRequest } from '../../inspected.ts'
import type { Inspected, NamedId, NativeReading } from '../../protocol.ts'
import { searchDomains } from '../../search-domains.ts'
import { usualNames } from '../../tools/tool-names.ts'
import { usageIn } from '../../usage.ts'
import { isProviderSearch } from '../client/offered-tools.ts'
import { hasOpaqueDetail } from '../message-state.ts'
import { isNamedSchema } from '../named-schema.ts'
import { usageOfAnswer } from './executed-tools.ts'
import { madeByChat, namedInMessage } from './named.ts'
import { lacksArguments, mendedAnswer, mendedBytes } from './no-arguments.ts'
import type { ChatExtension } from './options.ts'
import { createCompletionWatcher } from './watcher.ts'

/** Ids of calls and names of tools that are longer than OpenAI takes. */
export const longIds = 'long_ids'

/** All models take these, limits apart. */
const plainFields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_completion_tokens',
  'max_tokens',
])

const extensions = [
  'reasoning',
  'reasoning_content',
  'thinking_blocks',
  'reasoning_details',
  'file_citations',
  'server_tool_calls',
  'images',
  'cache_control',
  'extra_content',
] as const satisfies readonly (ChatExtension | 'file_citations')[]

const none: ReadonlySet<string> = new Set()

/**
 * Walks through a chat request. What only some upstreams or this gateway understand has the name of the option that says so
 * (`ChatExtension`). Most requests hold nothing but texts.
 */
export function inspectChat(request: unknown): Inspected {
  if (!isObject(request)) return { ...usualRequest, isForeign: true }
  const found: Found = { isForeign: false, extensions: none, named: [], lacksArguments: false }
  let isPlain = hasOnly(request, plainFields)
  for (const [place, message] of listOf(request['messages']).entries()) {
    if (isTextMessage(message)) continue
    isPlain = false
    seeMessage(message, place, found)
  }
  if (!isPlain) seeFields(request, found)
  return {
    isForeign: found.isForeign,
    extensions: found.extensions,
    isPlain,
    named: found.named,
    repaired: found.lacksArguments ? mendedBytes : undefined,
    watcher: createCompletionWatcher,
    read: readAnswer,
  }
}

interface Found {
  isForeign: boolean
  extensions: ReadonlySet<string>
  readonly named: NamedId[]
  lacksArguments: boolean
}

function seeMessage(message: unknown, place: number, found: Found): void {
  seeItem(message, found)
  seeIds(message, found)
  found.named.push(...namedInMessage(message, `messages[${place}]`))
  found.lacksArguments ||= listOf(objectOf(message)['tool_calls']).some(lacksArguments)
}

function seeFields(request: Fields, found: Found): void {
  const tools = listOf(request['tools'])
  for (const tool of tools) {
    seeItem(tool, found)
    seeIds(tool, found)
  }
  if (Object.keys(searchDomains(request['web_search_options'])).length > 0)
    extend(found, 'search_domains')
  if (hasBareSchema(request['response_format']) || tools.some(isProviderSearch))
    found.isForeign = true
}

function hasBareSchema(format: unknown): boolean {
  if (!isObject(format) || format['type'] !== 'json_schema') return false
  const schema = format['json_schema']
  return isObject(schema) && !isNamedSchema(schema)
}

/** A message, a tool, a content part or a tool call. */
function seeItem(item: unknown, found: Found): void {
  if (!isObject(item)) return
  for (const name of extensions) if (item[name] != null) extend(found, name)
  if (item['type'] === 'video_url') extend(found, 'video_url')
  if (item['type'] === 'thinking') extend(found, 'thinking_parts')
  if (hasOpaqueDetail(item) || /^https?:/i.test(textOf(objectOf(item['file'])['file_data'])))
    found.isForeign = true
  for (const part of listOf(item['content'])) seeItem(part, found)
  for (const call of listOf(item['tool_calls'])) seeItem(call, found)
}

function seeIds(item: unknown, found: Found): void {
  const { tool_call_id: answered, tool_calls: calls, function: declared } = objectOf(item)
  const made = listOf(calls).map(objectOf)
  const ids = [answered, ...made.map(({ id }) => id)]
  const names = [declared, ...made.map((call) => call['function'])]
  const isLong =
    ids.some((id) => textOf(id).length > openaiMaxima.callIdCharacters) ||
    names.some((called) => textOf(objectOf(called)['name']).length > usualNames.charactersMax)
  if (isLong) extend(found, longIds)
}

function extend(found: Found, name: ChatExtension | 'file_citations' | typeof longIds): void {
  if (!found.extensions.has(name)) found.extensions = new Set([...found.extensions, name])
}

function readAnswer(body: Fields): NativeReading {
  const choices = listOf(body['choices'])
  if (choices.every(isSpoken)) return { usage: usageIn(body) }
  return { usage: usageOfAnswer(body), made: madeByChat(choices), repaired: mendedAnswer(body) }
}

/** Whether a choice has neither calls nor sound. */
function isSpoken(choice: unknown): boolean {
  const {
    tool_calls: calls,
    audio,
    executed_tools: executed,
  } = objectOf(objectOf(choice)['message'])
  return calls == null && audio == null && executed == null
}
