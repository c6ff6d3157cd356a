import { listOf, objectOf } from '@sluice/contract'
import { createIdleWatcher } from '../../idle-watcher.ts'
import type { Change } from '../../native-target.ts'
import type { Native } from '../../protocol.ts'
import { takesStops } from '../../stops/stop-rule.ts'
import { readUsage, servedAs, usageIn } from '../../usage.ts'
import { adaptedChat, adaptedCompatible, adaptedCompletion } from './adapted-request.ts'
import { fitsChat } from './chat-fits.ts'
import { openaiStops } from './stops.ts'
import { mendedEmbeddings } from './embed.ts'
import { usageOfAnswer } from './executed-tools.ts'
import { fitsImageModel, hasNullOption } from './image-fields.ts'
import { assertImages, imageUsage } from './image-reply.ts'
import { madeByChat } from './named.ts'
import { mendedAnswer, mendedHistory } from './no-arguments.ts'
import type { ChatOptions } from './options.ts'
import { createTypedEventWatcher } from './typed-events.ts'
import { createCompletionWatcher } from './watcher.ts'

/** The caller's header for OpenAI's beta features. */
const headers = ['openai-beta'] as const

/** OpenAI's JSON, sent unchanged to one path. */
export function nativeJson(path: string, rest: Partial<Native> = {}): Native {
  return {
    headers,
    request: ({ body, headers: given }) => ({
      method: 'POST',
      path,
      headers: given,
      body: { kind: 'bytes', contentType: 'application/json', bytes: body },
    }),
    watcher: createIdleWatcher,
    usage: (body) => servedAs(objectOf(body)['service_tier'], readUsage(objectOf(body)['usage'])),
    ...rest,
  }
}

function askForUsage(request: unknown): Change {
  const { stream_options: options } = objectOf(request)
  return { path: ['stream_options'], value: { ...objectOf(options), include_usage: true } }
}

export function nativeChat(options: ChatOptions = {}): Native {
  return nativeJson('/chat/completions', {
    fits: fitsChat(options),
    adapted: options.knows === undefined ? adaptedChat : adaptedCompatible,
    watcher: createCompletionWatcher,
    usage: (body) => usageOfAnswer(objectOf(body)),
    made: (body) => madeByChat(listOf(objectOf(body)['choices'])),
    askForUsage,
    mends: mendedHistory,
    mended: () => mendedAnswer,
  })
}

export const nativeComplete = nativeJson('/completions', {
  fits: (request, model = '') => takesStops(objectOf(request)['stop'], openaiStops(model)),
  adapted: adaptedCompletion,
  watcher: createCompletionWatcher,
  usage: (body) => usageIn(objectOf(body)),
  askForUsage,
})

/** `input_type` belongs to this gateway's API; OpenAI does not have it. Some upstreams reject even null (DeepInfra). */
export const nativeEmbed = nativeJson('/embeddings', {
  fits(request) {
    const { input_type: type, encoding_format: encoding, dimensions, user } = objectOf(request)
    return type == null && ![encoding, dimensions, user].includes(null)
  },
  mended: mendedEmbeddings,
})

export const nativeModerate = nativeJson('/moderations')

/** The contract's `input` and `parameters` are not OpenAI's. */
export const nativeCreateImage = nativeJson('/images/generations', {
  fits(request, model) {
    const fields = objectOf(request)
    const { input, parameters, size } = fields
    if (input != null || parameters != null || String(size).includes('*')) return false
    return !hasNullOption(fields) && fitsImageModel(fields, model)
  },
  watcher: createTypedEventWatcher,
  usage: (body) => imageUsage(objectOf(body)),
  mended: () => assertImages,
})
