import { type Fields, objectOf } from '@sluice/contract'
import { usualRequest } from '../../inspected.ts'
import type { Change } from '../../native-target.ts'
import type { Inspected, Native } from '../../protocol.ts'
import { takesStops } from '../../stops/stop-rule.ts'
import { usageIn } from '../../usage.ts'
import { adaptedChat, adaptedCompatible, adaptedCompletion } from './adapted-request.ts'
import { fitsChat } from './chat-fits.ts'
import { mendedEmbeddings } from './embed.ts'
import { fitsImageModel, hasNullOption } from './image-fields.ts'
import { assertImages, imageUsage } from './image-reply.ts'
import { inspectChat } from './inspect-chat.ts'
import type { ChatOptions } from './options.ts'
import { openaiStops } from './stops.ts'
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
