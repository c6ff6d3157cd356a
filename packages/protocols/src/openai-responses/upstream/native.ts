import { listOf, objectOf, textOf } from '@sluice/contract'
import { hasState } from '../../call-state.ts'
import { restore } from '../../carried-reasoning.ts'
import { adaptedResponses } from '../../openai/upstream/adapted-request.ts'
import { nativeJson } from '../../openai/upstream/native.ts'
import type { Native } from '../../protocol.ts'
import { mendedInput, mendedResponse } from './no-arguments.ts'
import { responseUsage } from './response-usage.ts'
import { createChatWatcher } from './watcher.ts'

/**
 * A Responses request, sent unchanged. A request that carries reasoning of another protocol in `encrypted_content` or in the
 * id of a call does not fit, because OpenAI could not decrypt it.
 */
export const nativeResponses: Native = nativeJson('/responses', {
  fits: fitsResponses,
  adapted: adaptedResponses,
  watcher: createChatWatcher,
  usage: (body) => responseUsage(objectOf(body)),
  mends: mendedInput,
  mended: () => mendedResponse,
})

/** The same where the upstream's models search only by its chat completions, as Groq's do. */
export const responsesWithoutSearch: Native = {
  ...nativeResponses,
  fits: (request) =>
    fitsResponses(request) &&
    !listOf(objectOf(request)['tools']).some((tool) =>
      textOf(objectOf(tool)['type']).startsWith('web_search'),
    ),
}

/** A request to compact a conversation, sent unchanged. */
export const nativeCompact: Native = nativeJson('/responses/compact', { fits: fitsResponses })

/**
 * A response in the background is rejected by the codec: it is only complete, and its usage known, long after its call, and
 * callers who retrieve it would see it queued for ever.
 */
function fitsResponses(request: unknown): boolean {
  if (objectOf(request)['background'] === true) return false
  return !listOf(objectOf(request)['input'])
    .map(objectOf)
    .some(
      (item) =>
        restore(textOf(item['encrypted_content'])) !== undefined || hasState(item['call_id']),
    )
}
