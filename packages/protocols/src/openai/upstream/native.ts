import { type Fields, isObject, objectOf } from '@sluice/contract'
import { chatFamily } from '../../families/chat-models.ts'
import { usualRequest } from '../../inspected.ts'
import type { Change } from '../../native-target.ts'
import { isNeutral } from '../../neutral-values.ts'
import type { Inspected, Native } from '../../protocol.ts'
import { takesStops } from '../../stops/stop-rule.ts'
import { usageIn } from '../../usage.ts'
import { adaptedChat, adaptedCompatible, adaptedCompletion } from './adapted-request.ts'
import { mendedEmbeddings } from './embed.ts'
import { fitsImageModel, hasNullOption } from './image-fields.ts'
import { assertImages, imageUsage } from './image-reply.ts'
import { inspectChat, longIds } from './inspect-chat.ts'
import { type ChatOptions, effortObjects } from './options.ts'
import { chatStops, openaiStops } from './stops.ts'
import { createTypedEventWatcher } from './typed-events.ts'
import { createCompletionWatcher } from './watcher.ts'

/** The caller's header for OpenAI's beta features. */
const headers = ['openai-beta'] as const

/** OpenAI's JSON, sent unchanged to one path. */
export function nativeJson(
  path: string,
  inspect: Native['inspect'],
  rest: Partial<Native> = {},
): Native {
  return {
    inspect,
    headers,
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
    adapted: options.knows === undefined ? adaptedChat : adaptedCompatible,
    askForUsage,
  })
}

const completion: Inspected = {
  ...usualRequest,
  watcher: createCompletionWatcher,
  read: (body) => ({ usage: usageIn(body) }),
}

export const nativeComplete = nativeJson('/completions', () => completion, {
  takes: (request, _found, model) => takesStops(objectOf(request)['stop'], openaiStops(model)),
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
  { takes: (request, _found, model) => fitsImageModel(objectOf(request), model) },
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
  const { knows, lacks = [], effortIn = [] } = options
  const known: ReadonlySet<string> = new Set(knows)
  const foreign = [
    ...(['top_k', 'thinking_budget'] as const).filter((name) => !known.has(name)),
    ...effortObjects.filter((name) => !effortIn.includes(name)),
  ]
  const stopsOf = chatStops(options)
  return (request, { isPlain, extensions }, model) => {
    if (!isObject(request)) return false
    if (knows === undefined && hasOlderLimit(model, request)) return false
    if (isPlain) return true
    for (const name of extensions)
      if (name === longIds ? chatFamily(model).isOpenAIs === true : !known.has(name)) return false
    if (foreign.some((name) => request[name] != null)) return false
    if (lacks.some((name) => name !== 'stop' && !isNeutral(name, request[name]))) return false
    if (!takesStops(request['stop'], stopsOf(model))) return false
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
