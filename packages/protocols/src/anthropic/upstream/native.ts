import {
  type Fields,
  hasOnly,
  isObject,
  isTextMessage,
  listOf,
  objectOf,
  textOf,
} from '@sluice/contract'
import { hasState } from '../../call-state.ts'
import { restore } from '../../carried-reasoning.ts'
import { adaptedCount, adaptedMessages, fitsClaude } from '../../claude/adapted-messages.ts'
import { takesUnsignedThinking } from '../../families/returned-reasoning.ts'
import { createIdleWatcher, usualRequest } from '../../inspected.ts'
import type { Inspected, Native } from '../../protocol.ts'
import { registeredTypes } from '../../registered-types.ts'
import { readUsage } from '../usage.ts'
import { accountHeaders } from '../account-headers.ts'
import { continuable, madeByMessage, namedInMessages } from './named.ts'
import { addedThoughts } from './thoughts.ts'
import { createChatWatcher } from './watcher.ts'

/** The caller's headers that the Messages API interprets. */
const headers = ['anthropic-version', 'anthropic-beta'] as const

/** The last version with sampling parameters. Later ones refuse them, and nothing else that this one would answer otherwise. */
const sampledVersion = '2023-06-01'

/**
 * With sampling parameters a request is sent in the last version that has them: whether the model takes them is decided by its
 * name and not by which SDK the caller has (https://platform.claude.com/docs/en/api/versioning).
 */
const fitHeaders: NonNullable<Native['fitHeaders']> = (given, request) => {
  const { temperature, top_p: topP, top_k: topK } = objectOf(request)
  const isSampled = [temperature, topP, topK].some((value) => value !== undefined)
  const isLater = (given['anthropic-version'] ?? '') > sampledVersion
  return isSampled && isLater ? { ...given, 'anthropic-version': sampledVersion } : given
}

/** Passes Anthropic's JSON on to one path, with the caller's version and beta headers. */
function nativeJson(path: string, rest: Omit<Native, 'request' | 'headers'>): Native {
  return {
    request: (call) => ({
      method: 'POST',
      path: call.query === '' ? path : `${path}?${call.query}`,
      headers: Object.fromEntries(
        headers.flatMap((name) => {
          const value = call.headers[name]
          return value === undefined ? [] : [[name, value]]
        }),
      ),
      body: { kind: 'bytes', contentType: 'application/json', bytes: call.body },
    }),
    headers,
    heldHeaders: accountHeaders,
    fitHeaders,
    ...rest,
  }
}

export const nativeMessages = nativeJson('/v1/messages', {
  inspect: inspectMessages,
  takes: (request, found, { family }) =>
    found.isPlain || (takesThinking(found, family) && fitsClaude(request, family)),
  adapted: (request, found, target) => [
    ...adaptedMessages(request, found, target),
    ...(found.isPlain ? [] : addedThoughts(request, target)),
  ],
})

/** Counting is free, so there is no usage. */
export const nativeCountTokens = nativeJson('/v1/messages/count_tokens', {
  inspect: (request) => ({
    ...inspectMessages(request),
    watcher: createIdleWatcher,
    read: () => ({ usage: undefined }),
  }),
  takes: (_request, found, { family }) => takesThinking(found, family),
  adapted: adaptedCount,
})

function takesThinking({ extensions }: Inspected, family: string): boolean {
  return !extensions.has(unsigned) || takesUnsignedThinking(family)
}

/** All models take these in a conversation that ends with the user, limits apart. */
const plainFields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'max_tokens',
  'system',
  'stream',
  'metadata',
])

function inspectMessages(request: unknown): Inspected {
  const fields = objectOf(request)
  const messages = listOf(fields['messages'])
  const isThread = fields['thread'] != null
  const reading = {
    watcher: () => createChatWatcher(isThread),
    read: (body: Fields) => ({
      usage: readUsage(body),
      made: [...continuable(isThread, body), ...madeByMessage(body)],
    }),
  }
  const isPlain = hasOnly(fields, plainFields) && messages.every(isTextMessage)
  if (isPlain && objectOf(messages.at(-1))['role'] !== 'assistant')
    return { ...usualRequest, isPlain, ...reading }
  const blocks = messages.flatMap((message) =>
    listOf(objectOf(message)['content']).filter(isObject),
  )
  return {
    ...usualRequest,
    isForeign: !blocks.every(isMessagesOwn),
    extensions: blocks.some(isUnsigned) ? unsignedOnly : usualRequest.extensions,
    named: namedInMessages(request),
    repaired: registeredTypes(messages),
    ...reading,
  }
}

/** Thinking without a signature, which only other makers' models take. */
const unsigned = 'unsigned_thinking'
const unsignedOnly: ReadonlySet<string> = new Set([unsigned])

function isUnsigned({ type, signature }: Fields): boolean {
  return type === 'thinking' && textOf(signature) === ''
}

/**
 * Whether the reasoning, call or citation in a block is of the upstream's own API. Anthropic would refuse those that the gateway has
 * converted from other providers; the codec drops them or converts them to text.
 */
function isMessagesOwn(block: Fields): boolean {
  const { type, signature, data, id } = block
  if (hasState(id) || hasState(block['tool_use_id'])) return false
  if (type === 'text') return listOf(block['citations']).every(isOwnCitation)
  if (type === 'server_tool_use' || type === 'mcp_tool_use')
    return /^(srv|mcp)toolu_/.test(textOf(id))
  if (type === 'thinking') return !isCarried(signature)
  return type !== 'redacted_thinking' || !isCarried(data)
}

/** A citation of a page found by Claude has an index, and a cited range of a search result is not empty. */
function isOwnCitation(citation: unknown): boolean {
  const { type, encrypted_index: index, end_block_index: end } = objectOf(citation)
  if (type === 'web_search_result_location') return index !== ''
  return type !== 'search_result_location' || end !== 0
}

function isCarried(opaque: unknown): boolean {
  return restore(textOf(opaque)) !== undefined
}
