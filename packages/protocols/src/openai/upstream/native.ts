import {
  type Fields,
  hasOnly,
  isObject,
  isTextMessage,
  listOf,
  objectOf,
  textOf,
} from '@sluice/contract'
import { chatFamily, openaiMaxima, reasonsWithTools } from '../../families/chat-models.ts'
import { usualRequest } from '../../inspected.ts'
import type { Change } from '../../native-target.ts'
import { isNeutral } from '../../neutral-values.ts'
import type { Inspected, NamedId, Native, NativeReading } from '../../protocol.ts'
import { searchDomains } from '../../search-domains.ts'
import { takesStops } from '../../stops/stop-rule.ts'
import { usualNames } from '../../tools/tool-names.ts'
import { usageIn } from '../../usage.ts'
import { isCallersTool } from '../../tools/callers-tools.ts'
import { isProviderSearch } from '../client/offered-tools.ts'
import { hasOpaqueDetail } from '../message-state.ts'
import { isNamedSchema } from '../named-schema.ts'
import {
  adaptedChat,
  adaptedCompatible,
  adaptedCompletion,
  adaptedForServer,
} from './adapted-request.ts'
import { mendedEmbeddings } from './embed.ts'
import { accountHeaders, betaHeader } from '../caller-headers.ts'
import { usageOfAnswer } from './executed-tools.ts'
import { fitsImageModel, hasNullOption } from './image-fields.ts'
import { assertImages, imageUsage } from './image-reply.ts'
import { madeByChat, namedInMessage } from './named.ts'
import { lacksArguments, mendedAnswer, mendedBytes } from './no-arguments.ts'
import { type ChatExtension, type ChatOptions, effortObjects, servesOpenAIs } from './options.ts'
import { chatStops, openaiStops } from './stops.ts'
import { createTypedEventWatcher } from './typed-events.ts'
import { hasUsersMedia } from './users-media.ts'
import { createCompletionWatcher, lacksName, withNamedReasoning } from './watcher.ts'

const headers = [betaHeader] as const

/** OpenAI's JSON, sent unchanged to one path. */
export function nativeJson(
  path: string,
  inspect: Native['inspect'],
  rest: Partial<Native> = {},
): Native {
  return {
    inspect,
    headers,
    heldHeaders: accountHeaders,
    request: ({ body, headers: given }) => ({
      method: 'POST',
      path,
      headers: given,
      body: { kind: 'bytes', contentType: 'application/json', bytes: body },
    }),
    ...rest,
  }
}

function askForUsage(request: unknown): Change {
  const { stream_options: options } = objectOf(request)
  return { path: ['stream_options'], value: { ...objectOf(options), include_usage: true } }
}

export function nativeChat(options: ChatOptions = {}): Native {
  return nativeJson('/chat/completions', inspectChat, {
    takes: fitsChat(options),
    adapted: adaptedBy(options),
    askForUsage,
  })
}

function adaptedBy(options: ChatOptions): NonNullable<Native['adapted']> {
  if (!servesOpenAIs(options)) return withoutLacked(options.lacks ?? [])
  return options.takesAnything === true ? adaptedForServer : adaptedChat
}

/** What an upstream lacks is here with a value that asks for nothing; some refuse even that ("Extra inputs are not permitted"). */
function withoutLacked(lacks: readonly string[]): NonNullable<Native['adapted']> {
  const fields = lacks.filter((name) => name !== 'stop')
  if (fields.length === 0) return adaptedCompatible
  return (request, found, target) => {
    const given = objectOf(request)
    const lacked = fields.filter((name) => given[name] !== undefined)
    return [
      ...adaptedCompatible(request, found, target).filter(({ path }) => !lacked.includes(path[0])),
      ...lacked.map((name): Change => ({ path: [name], value: undefined })),
    ]
  }
}

const completion: Inspected = {
  ...usualRequest,
  watcher: createCompletionWatcher,
  read: (body) => ({ usage: usageIn(body) }),
}

/** OpenAI's own, where turns with tools and reasoning go to another address. */
export function nativeOpenAiChat(options?: ChatOptions): Native {
  const fits = fitsChat(options)
  return {
    ...nativeChat(options),
    takes(request, found, target) {
      if (!found.isPlain && isObject(request) && reasonsWithTools(target.family, request))
        return false
      return fits(request, found, target)
    },
  }
}

export const nativeComplete = nativeJson('/completions', () => completion, {
  takes: (request, _found, { family }) =>
    takesStops(objectOf(request)['stop'], openaiStops(family)),
  adapted: adaptedCompletion,
  askForUsage,
})

/** `input_type` belongs to this gateway's API; OpenAI does not have it. Some upstreams reject even null (DeepInfra). */
export const nativeEmbed = nativeJson('/embeddings', (request) => {
  const { input_type: type, encoding_format: encoding, dimensions, user } = objectOf(request)
  const repaired = mendedEmbeddings(request)
  return {
    ...usualRequest,
    isForeign: type != null || [encoding, dimensions, user].includes(null),
    read: (body) => ({ ...usualRequest.read(body), repaired: repaired(body) }),
  }
})

export const nativeModerate = nativeJson('/moderations', () => usualRequest)

/** The contract's `input` and `parameters` are not OpenAI's. */
export const nativeCreateImage = nativeJson(
  '/images/generations',
  (request) => {
    const fields = objectOf(request)
    const { input, parameters, size } = fields
    const isOwnForm = input != null || parameters != null || String(size).includes('*')
    return {
      ...usualRequest,
      isForeign: isOwnForm || hasNullOption(fields),
      watcher: createTypedEventWatcher,
      read: readImages,
    }
  },
  { takes: (request, _found, { family }) => fitsImageModel(objectOf(request), family) },
)

function readImages(body: Fields) {
  assertImages(body)
  return { usage: imageUsage(body) }
}

/**
 * Whether an upstream with these options understands a chat request as it is, so that its bytes may be sent unchanged.
 * Otherwise the codec translates or rejects what only this gateway's form of chat completions has.
 */
function fitsChat(options: ChatOptions = {}): NonNullable<Native['takes']> {
  const { knows, lacks = [], effortIn = [], takesAnything = false } = options
  const known: ReadonlySet<string> = new Set(knows)
  const foreign = [
    ...(['top_k', 'thinking_budget'] as const).filter((name) => !known.has(name)),
    ...effortObjects.filter((name) => !effortIn.includes(name)),
  ]
  // What an answer of this gateway's holds for other models is described to them in words and pictures.
  const foreignToServers = [
    'server_tool_calls',
    'images',
    ...(servesOpenAIs(options) ? [] : ['search_domains']),
  ]
  const stopsOf = chatStops(options)
  return (request, { isPlain, extensions }, { model, family }) => {
    if (!isObject(request)) return false
    if (servesOpenAIs(options) && hasOlderLimit(family, request)) return false
    if (isPlain) return true
    const isOpenAIs = chatFamily(model).isOpenAIs === true
    if (takesAnything && !isOpenAIs)
      return (
        !foreignToServers.some((name) => extensions.has(name)) &&
        takesStops(request['stop'], stopsOf(family))
      )
    for (const name of extensions) {
      if (name === longIds) {
        if (isOpenAIs) return false
      } else if (name === usersMedia) {
        if (servesOpenAIs(options)) return false
      } else if (takesAnything || !known.has(name)) return false
    }
    if (foreign.some((name) => request[name] != null)) return false
    if (takesAnything && request['top_k'] != null) return false
    if (lacks.some((name) => name !== 'stop' && !isNeutral(name, request[name]))) return false
    if (!takesStops(request['stop'], stopsOf(family))) return false
    return !(known.has('search_settings') && request['web_search_options'] != null)
  }
}

/**
 * Whether the request uses the older name of the limit. OpenAI's models that can reason always reject it, even if they do not
 * reason for this request ("Use 'max_completion_tokens' instead").
 */
function hasOlderLimit(model: string, request: Fields): boolean {
  return request['max_tokens'] != null && chatFamily(model).lacks.includes('temperature')
}

/** Ids of calls and names of tools that are longer than OpenAI takes. */
const longIds = 'long_ids'

/** What OpenAI takes from users alone, in messages of others. */
const usersMedia = 'users_media'

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
function inspectChat(request: unknown): Inspected {
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
    isTakenByAll:
      isPlain && request['max_completion_tokens'] == null && request['max_tokens'] == null,
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
  if (hasUsersMedia(objectOf(message))) extend(found, usersMedia)
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
  const isForeign = (tool: unknown) => isProviderSearch(tool) || isCallersTool(tool)
  if (hasBareSchema(request['response_format']) || tools.some(isForeign)) found.isForeign = true
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

type SeenName = ChatExtension | 'file_citations' | typeof longIds | typeof usersMedia

function extend(found: Found, name: SeenName): void {
  if (!found.extensions.has(name)) found.extensions = new Set([...found.extensions, name])
}

function readAnswer(body: Fields): NativeReading {
  const choices = listOf(body['choices'])
  if (choices.every(isSpoken)) return { usage: usageIn(body) }
  const named = choices.some(lacksReasoningName)
    ? {
        ...body,
        choices: choices.map((choice) => withNamedReasoning(objectOf(choice), 'message')),
      }
    : undefined
  const repaired = mendedAnswer(named ?? body) ?? named
  return { usage: usageOfAnswer(body), made: madeByChat(choices), repaired }
}

function lacksReasoningName(choice: unknown): boolean {
  return lacksName(objectOf(choice)['message'])
}

/** Whether a choice has neither calls nor sound, nor reasoning under another name. */
function isSpoken(choice: unknown): boolean {
  const {
    tool_calls: calls,
    audio,
    executed_tools: executed,
    reasoning,
  } = objectOf(objectOf(choice)['message'])
  return calls == null && audio == null && executed == null && reasoning == null
}
