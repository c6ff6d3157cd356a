import { listOf, objectOf, textOf } from '@sluice/contract'
import { restore } from '../../carried-reasoning.ts'
import { nativeJson } from '../../openai/upstream/native.ts'
import { refusedAtResponses } from '../../openai/upstream/refused-fields.ts'
import type { Native } from '../../protocol.ts'
import { responseUsage } from './server-items.ts'
import { createChatWatcher } from './watcher.ts'

/**
 * A Responses request as it came. One that carries reasoning of another protocol in `encrypted_content` does not fit:
 * OpenAI could not decrypt it.
 */
export const nativeResponses: Native = nativeJson('/responses', {
  fits: fitsResponses,
  refused: refusedAtResponses,
  watcher: createChatWatcher,
  usage: (body) => responseUsage(objectOf(body)),
})

/** A conversation to compact, as it came. */
export const nativeCompact: Native = nativeJson('/responses/compact', { fits: fitsResponses })

function fitsResponses(request: unknown): boolean {
  return !listOf(objectOf(request)['input']).some(
    (item) => restore(textOf(objectOf(item)['encrypted_content'])) !== undefined,
  )
}
