import { objectOf } from '@sluice/contract'
import { createIdleWatcher } from '../../idle-watcher.ts'
import type { Native } from '../../protocol.ts'
import { readUsage, servedAs, usageIn } from '../../usage.ts'
import { fitsChat } from './chat-fits.ts'
import { usageOfAnswer } from './executed-tools.ts'
import { imageUsage } from './image-reply.ts'
import { mendedAnswer, mendedHistory } from './no-arguments.ts'
import type { ChatOptions } from './options.ts'
import { refusedAtChat } from './refused-fields.ts'
import { createTypedEventWatcher } from './typed-events.ts'
import { createCompletionWatcher } from './watcher.ts'

/** The caller's header that asks OpenAI for something it has not released yet. */
const headers = ['openai-beta'] as const

/** OpenAI's JSON as it came, posted to one path. */
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

export function nativeChat(options: ChatOptions = {}): Native {
  return nativeJson('/chat/completions', {
    fits: fitsChat(options),
    ...(options.knows === undefined && { refused: refusedAtChat }),
    watcher: createCompletionWatcher,
    usage: (body) => usageOfAnswer(objectOf(body)),
    asksForUsage: true,
    mends: mendedHistory,
    mended: mendedAnswer,
  })
}

export const nativeComplete = nativeJson('/completions', {
  watcher: createCompletionWatcher,
  usage: (body) => usageIn(objectOf(body)),
  asksForUsage: true,
})

/** `input_type` is this gateway's word; OpenAI has none. */
export const nativeEmbed = nativeJson('/embeddings', {
  fits: (request) => objectOf(request)['input_type'] == null,
})

export const nativeModerate = nativeJson('/moderations')

/** The contract's `input` and `parameters` are not OpenAI's. */
export const nativeCreateImage = nativeJson('/images/generations', {
  fits(request) {
    const { input, parameters, size } = objectOf(request)
    return input == null && parameters == null && !String(size).includes('*')
  },
  watcher: createTypedEventWatcher,
  usage: (body) => imageUsage(objectOf(body)),
})
