import { invalidRequest } from '@sluice/contract'
import type { Caller } from '../ports/api-key.ts'

/** The header with which callers tag a request: `x-sluice-tags: nightly,project=search`. */
export const tagsHeader = 'x-sluice-tags'

/** Per request, in addition to the tags of its key and the levels above. */
const tagsMax = 16

/** Letters, digits and the punctuation of paths and pairs; at most 64 characters. */
const tagPattern = /^[\w.:=/@+-]{1,64}$/

/**
 * The tags of a call: those of the request (`header`) and of all levels of its caller.
 *
 * @throws GatewayError `invalid_request` if a tag is too long or has other characters, or if there are too many.
 */
export function tagsOf({ allTags }: Caller, header: string): readonly string[] {
  const tags = header
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
  if (tags.length > tagsMax)
    throw invalidRequest(`'${tagsHeader}' may hold at most ${tagsMax} tags`, tagsHeader)
  if (!tags.every((tag) => tagPattern.test(tag)))
    throw invalidRequest(
      `'${tagsHeader}' must hold tags of at most 64 letters, digits and . _ : = / @ + -, separated by commas`,
      tagsHeader,
    )
  return [...new Set([...allTags, ...tags])]
}
