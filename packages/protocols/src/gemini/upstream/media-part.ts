import { invalidRequest, parseDataUrl, registeredType, typeByContent } from '@sluice/contract'
import { typeByName, typeOfFile } from '../../file-types.ts'
import type { MediaAddress } from '../../media-addresses.ts'
import type { CodecContext } from '../../protocol.ts'
import type { Part } from '../generate-content.ts'

/** Whether the gateway must fetch an address first: Gemini reads only Google's own. */
export function mustBeFetched(url: string): boolean {
  return /^https?:/i.test(url) && !isGoogleFile(url)
}

/**
 * Files API, Cloud Storage and YouTube: the addresses that `fileData.fileUri` accepts
 * (https://ai.google.dev/gemini-api/docs/files).
 */
function isGoogleFile(url: string): boolean {
  return (
    url.startsWith('gs://') ||
    url.startsWith('https://generativelanguage.googleapis.com/') ||
    /^https:\/\/(www\.youtube\.com\/watch\?|youtu\.be\/)/.test(url)
  )
}

/**
 * The media at an address as a part: data URLs, bare base64 and fetched files become `inlineData`, Google's own addresses
 * become `fileData`. Throws `invalid_request` for anything else, or if the type is unknown.
 */
export function mediaPart(
  { url, param }: MediaAddress,
  context: Pick<CodecContext, 'media'>,
  filename?: string | null,
): Part {
  const named = typeByName(filename ?? '')
  if (/^data:/i.test(url)) {
    const data = parseDataUrl(url)
    if (data === undefined) throw invalidRequest('The data URL cannot be read', param)
    return inline(typeOfFile(data.contentType, filename), data.base64, param)
  }
  if (isGoogleFile(url)) {
    const mimeType = named ?? typeByName(url)
    return { fileData: { ...(mimeType === undefined ? {} : { mimeType }), fileUri: url } }
  }
  const fetched = context.media.get(url)
  if (fetched !== undefined) {
    const base64 = Buffer.from(fetched.bytes).toString('base64')
    const type = registeredType(fetched.contentType)
    const declared = type === 'application/octet-stream' ? '' : type
    return inline(typeByContent(base64) ?? (declared || named || typeByName(url)), base64, param)
  }
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(url))
    throw invalidRequest('This is neither a URL nor base64 data', param)
  return inline(typeByContent(url) ?? named, url, param)
}

function inline(mimeType: string | undefined, data: string, param: string): Part {
  if (mimeType === undefined || mimeType === '')
    throw invalidRequest('The type of this file cannot be detected; send it as a data URL', param)
  return { inlineData: { mimeType, data } }
}
