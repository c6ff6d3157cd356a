import type { ChatRequest, ContentPart } from '@sluice/contract'

/** The address of a part's media, and the path that errors name for it. */
export interface MediaAddress {
  readonly url: string
  readonly param: string
}

/** The address in a media part; undefined for text and for audio, which comes inline. */
export function mediaAddress(part: ContentPart, path: string): MediaAddress | undefined {
  const url = part.image_url?.url ?? part.video_url?.url
  if (url !== undefined) return { url, param: `${path}.${part.type}.url` }
  const data = part.file?.file_data
  return data == null ? undefined : { url: data, param: `${path}.file.file_data` }
}

/** The addresses in a chat that the gateway must fetch first, because the upstream cannot read them itself. */
export function mediaToFetch(
  { messages }: ChatRequest,
  mustBeFetched: (url: string) => boolean,
): readonly MediaAddress[] {
  return messages.flatMap(({ content }, message) =>
    (Array.isArray(content) ? content : []).flatMap((part, index) => {
      const address = mediaAddress(part, `messages[${message}].content[${index}]`)
      return address !== undefined && mustBeFetched(address.url) ? [address] : []
    }),
  )
}
