import type { Native, StreamWatcher } from '../protocol.ts'
import { isPlainOpenAI } from './chat-request.ts'
import { watchCompletion } from './chat-watcher.ts'
import { objectOf } from './reading.ts'
import { readUsage, usageIn } from './usage.ts'

/** Watches nothing: for formats that this protocol does not stream. */
export function watchNothing(): StreamWatcher {
  return { see: () => 'other', usage: () => undefined }
}

/** OpenAI's JSON as it came, posted to one path. */
export function nativeJson(path: string, rest: Partial<Native> = {}): Native {
  return {
    request: ({ body }) => ({
      method: 'POST',
      path,
      body: { kind: 'bytes', contentType: 'application/json', bytes: body },
    }),
    watcher: watchNothing,
    usage: (body) => readUsage(objectOf(body)['usage']),
    ...rest,
  }
}

export const nativeChat = nativeJson('/chat/completions', {
  fits: isPlainOpenAI,
  watcher: watchCompletion,
  usage: (body) => usageIn(objectOf(body)),
  asksForUsage: true,
})

export const nativeComplete = nativeJson('/completions', {
  watcher: watchCompletion,
  usage: (body) => usageIn(objectOf(body)),
  asksForUsage: true,
})
