import { contentPartTypes, type Fields, invalidRequest } from '@sluice/contract'
import { callSignature } from '../../call-signature.ts'
import type { Reports } from '../../native-target.ts'
import type { ChatCompletionRequest } from './schema.ts'

const partTypes: ReadonlySet<string> = new Set([...contentPartTypes, 'thinking'])

/** A thinking part becomes the message's reasoning. `closed` (Mistral) is true in every history. */
const thinkingFields: ReadonlySet<string> = new Set(['type', 'thinking', 'signature', 'closed'])

/**
 * Handles what messages hold that has no canonical form: content of an unknown type, which reaches only servers that know it, is
 * refused; fields are reported.
 */
export function reportUnreadFields(
  { messages }: ChatCompletionRequest,
  { leftOut }: Pick<Reports, 'leftOut'>,
): void {
  let cited: string | undefined
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`
    const { content } = message
    if (Array.isArray(content))
      for (const [place, part] of content.entries())
        reportUnreadPart(part, `${path}.content[${place}]`, leftOut)
    if (message.file_citations != null) cited ??= `${path}.file_citations`
    if (message.extra_content != null && callSignature(message) === undefined)
      leftOut(`${path}.extra_content`)
  }
  // Once, because every answer of a conversation may have some.
  if (cited !== undefined) leftOut(cited)
}

function reportUnreadPart(
  part: Fields & { readonly type: string },
  path: string,
  leftOut: Reports['leftOut'],
): void {
  const { type } = part
  if (!partTypes.has(type))
    throw invalidRequest(`Only some upstreams know parts of the type '${type}'`, `${path}.type`)
  if (type !== 'thinking') return
  for (const [name, value] of Object.entries(part))
    if (!thinkingFields.has(name) && value != null) leftOut(`${path}.${name}`)
}
