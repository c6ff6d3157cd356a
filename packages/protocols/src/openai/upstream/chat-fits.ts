import { type Fields, isObject, listOf, objectOf, textOf } from '@sluice/contract'
import { chatFamily, openaiMaxima } from '../../families/chat-models.ts'
import { isNeutral } from '../../neutral-values.ts'
import type { Native } from '../../protocol.ts'
import { searchDomains } from '../../search-domains.ts'
import { takesStops } from '../../stops/stop-rule.ts'
import { usualNames } from '../../tools/tool-names.ts'
import { isProviderSearch } from '../client/offered-tools.ts'
import { hasOpaqueDetail } from '../message-state.ts'
import { isNamedSchema } from '../named-schema.ts'
import { type ChatExtension, type ChatOptions, effortObjects } from './options.ts'
import { chatStops } from './stops.ts'

/**
 * Whether an upstream with these options understands a chat request as it is, so that its bytes may be sent unchanged.
 * Otherwise the codec translates or rejects what only this gateway's form of chat completions has.
 */
export function fitsChat(options: ChatOptions = {}): NonNullable<Native['fits']> {
  const { knows, lacks = [], effortIn = [] } = options
  const known: ReadonlySet<string> = new Set(knows)
  const foreign = [
    ...(['top_k', 'thinking_budget'] as const).filter((name) => !known.has(name)),
    ...effortObjects.filter((name) => !effortIn.includes(name)),
  ]
  const stopsOf = chatStops(options)
  return (request, model = '') => {
    if (!isObject(request)) return false
    if (foreign.some((name) => request[name] != null)) return false
    if (lacks.some((name) => name !== 'stop' && !isNeutral(name, request[name]))) return false
    if (hasBareSchema(request['response_format'])) return false
    if (knows === undefined && hasOlderLimit(model, request)) return false
    if (!takesStops(request['stop'], stopsOf(model))) return false
    if (listOf(request['tools']).some(isProviderSearch)) return false
    if (known.has('search_settings') && request['web_search_options'] != null) return false
    if (!known.has('search_domains') && hasDomains(request)) return false
    const isOpenAIs = chatFamily(model).isOpenAIs === true
    return [...listOf(request['messages']), ...listOf(request['tools'])].every(
      (item) => fitsItem(item, known) && !(isOpenAIs && hasLongIds(item)),
    )
  }
}

/**
 * Whether the request uses the older name of the limit. OpenAI's models that can reason always reject it, even if they do not
 * reason for this request ("Use 'max_completion_tokens' instead").
 */
function hasOlderLimit(model: string, request: Fields): boolean {
  return request['max_tokens'] != null && chatFamily(model).lacks.includes('temperature')
}

/** Chat completions of other upstreams would ignore them, and an answer from elsewhere would be a different one. */
function hasDomains(request: Fields): boolean {
  return Object.keys(searchDomains(request['web_search_options'])).length > 0
}

function hasBareSchema(format: unknown): boolean {
  if (!isObject(format) || format['type'] !== 'json_schema') return false
  const schema = format['json_schema']
  return isObject(schema) && !isNamedSchema(schema)
}

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

/** A message, a tool, a content part or a tool call. */
function fitsItem(item: unknown, known: ReadonlySet<string>): boolean {
  if (!isObject(item)) return true
  if (extensions.some((name) => item[name] != null && !known.has(name))) return false
  if (hasOpaqueDetail(item)) return false
  if (item['type'] === 'video_url' && !known.has('video_url')) return false
  if (item['type'] === 'thinking' && !known.has('thinking_parts')) return false
  if (/^https?:/i.test(textOf(objectOf(item['file'])['file_data']))) return false
  return children(item).every((child) => fitsItem(child, known))
}

/** Longer ids of calls and names of tools get a 400 from OpenAI. */
function hasLongIds(item: unknown): boolean {
  const { tool_call_id: answered, tool_calls: calls, function: declared } = objectOf(item)
  if (textOf(answered).length > openaiMaxima.callIdCharacters) return true
  if (textOf(objectOf(declared)['name']).length > usualNames.charactersMax) return true
  return listOf(calls).some((call) => {
    const { id, function: called } = objectOf(call)
    if (textOf(id).length > openaiMaxima.callIdCharacters) return true
    return textOf(objectOf(called)['name']).length > usualNames.charactersMax
  })
}

function children(item: Fields): readonly unknown[] {
  return [...listOf(item['content']), ...listOf(item['tool_calls'])]
}
