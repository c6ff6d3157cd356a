import { invalidRequest } from '@sluice/contract'
import type { Caller } from '../ports/api-key.ts'

/** The header by which a caller says what a call is for: `x-sluice-tags: nightly,project=search`. */
export const tagsHeader = 'x-sluice-tags'

/** Of one request; those of its key and of what the key belongs to come on top. */
const tagsMax = 16

/** Letters, digits and what paths and pairs are written with; at most 64 characters. */
const tagPattern = /^[\w.:=/@+-]{1,64}$/

/**
 * What a call is billed by: the tags of its request, and those of all levels of its caller. `header` is what the request says.
 *
 * @throws GatewayError `invalid_request` where a tag is too long, has other characters, or there are too many.
 */
export function tagsOf({ allTags }: Caller, header: string | undefined): readonly string[] {
  if (header === undefined) return allTags
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
