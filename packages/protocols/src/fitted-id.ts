import { hash } from 'node:crypto'
import type { Fields } from '@sluice/contract'

/** The id if it is short enough, otherwise a hash of it, which has at most 64 characters and is always the same. */
export function fittedId(id: string, charactersMax: number): string {
  return id.length <= charactersMax ? id : hash('sha256', id, 'hex').slice(0, charactersMax)
}

/**
 * OpenAI's schema limits `safety_identifier` to this length in characters; others limit their `user` or a similar field to
 * slightly more.
 */
const userIdMax = 64

/** The ids of users and caches in a request to one of OpenAI's APIs, shortened if they are too long. */
export function fittedUserIds(request: Fields): Record<string, string> {
  const fitted: Record<string, string> = {}
  for (const field of ['user', 'safety_identifier', 'prompt_cache_key']) {
    const id = request[field]
    if (typeof id === 'string') fitted[field] = fittedId(id, userIdMax)
  }
  return fitted
}
