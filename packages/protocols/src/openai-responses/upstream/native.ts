import { listOf, objectOf, textOf } from '@sluice/contract'
import { hasState } from '../../call-state.ts'
import { restore } from '../../carried-reasoning.ts'
import { usualRequest } from '../../inspected.ts'
import { mendedBytes } from '../../openai/upstream/no-arguments.ts'
import type { Inspected, Native } from '../../protocol.ts'
import { namedInInput } from './named.ts'
import { lacksArguments, mendedResponse } from './no-arguments.ts'
import { responseUsage } from './response-usage.ts'
import { createChatWatcher } from './watcher.ts'

/** Walks through a Responses request that is sent unchanged. */
export function inspectResponses(request: unknown): Inspected {
  const isLacking = listOf(objectOf(request)['input']).some(lacksArguments)
  return {
    ...usualRequest,
    isForeign: isForeign(request),
    repaired: isLacking ? mendedBytes : undefined,
    watcher: createChatWatcher,
    read: (body) => ({ usage: responseUsage(body), repaired: mendedResponse(body) }),
  }
}

/** Walks through a request beside a response, to compact or to count, that is sent unchanged. */
export function inspectCompact(request: unknown): Inspected {
  return { ...usualRequest, isForeign: isForeign(request) }
}

/** Whether a request needs no web search. */
export function searchesNothing(request: unknown): boolean {
  return !listOf(objectOf(request)['tools']).some((tool) =>
    textOf(objectOf(tool)['type']).startsWith('web_search'),
  )
}

/** A native of Responses where each attempt checks the ids in the request. */
export function withNamedIds(native: Native): Native {
  return {
    ...native,
    inspect: (request) => ({ ...native.inspect(request), named: namedInInput(request) }),
  }
}

/**
 * Whether a request carries reasoning of another protocol in `encrypted_content` or in the id of a call, which OpenAI could not
 * decrypt. A response in the background is rejected by the codec: it is only complete, and its usage known, long after its
 * call, and callers who retrieve it would see it queued for ever.
 */
function isForeign(request: unknown): boolean {
  if (objectOf(request)['background'] === true) return true
  return listOf(objectOf(request)['input'])
    .map(objectOf)
    .some(
      (item) =>
        restore(textOf(item['encrypted_content'])) !== undefined || hasState(item['call_id']),
    )
}
