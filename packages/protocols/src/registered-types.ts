import { isObject, listOf } from '@sluice/contract'

/** Names of the media type of an image in Messages and in Gemini's two spellings. */
const typeNames = ['media_type', 'mimeType', 'mime_type'] as const
/** No text within a string matches, because its quotes are escaped. */
const unregistered = /"(?:media_type|mimeType|mime_type)"\s*:\s*"image\/jpg"/g

/**
 * Returns a function that writes `image/jpeg` for `image/jpg` in the bytes of a Messages or Gemini request; undefined if its
 * messages have none. Many callers use that unregistered type, and Anthropic and Google reject it.
 */
export function registeredTypes(messages: unknown): ((body: Uint8Array) => Uint8Array) | undefined {
  return holdsJpg(messages) ? withRegistered : undefined
}

function withRegistered(body: Uint8Array): Uint8Array {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')
  return Buffer.from(
    text.replace(unregistered, (found) => found.replace('image/jpg', 'image/jpeg')),
    'latin1',
  )
}

/** Looks through messages, their parts, the results of tools among them, and the sources of these. */
function holdsJpg(list: unknown): boolean {
  return listOf(list).some((item) => {
    if (!isObject(item)) return false
    const { content, parts, source, inlineData, inline_data: inline } = item
    return (
      [source, inlineData, inline].some(isJpg) ||
      (Array.isArray(content) && holdsJpg(content)) ||
      (Array.isArray(parts) && holdsJpg(parts))
    )
  })
}

function isJpg(source: unknown): boolean {
  return isObject(source) && typeNames.some((name) => source[name] === 'image/jpg')
}
