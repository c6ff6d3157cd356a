import { type EditImageRequest, formatDataUrl } from '@sluice/contract'
import type { Codec, CodecContext } from '../protocol.ts'
import { decodeImages } from './image-reply.ts'
import { type ImageContent, imageTask } from './image-request.ts'

/** Qwen image editing: the contract's own form as it is; uploads become data: addresses. */
export const editImage: Codec<'editImage'> = {
  encode: (request, context) => imageTask(request, contentOf(request, context), context),
  decode: decodeImages,
}

function contentOf(request: EditImageRequest, context: CodecContext): readonly ImageContent[] {
  const uploads = (request.image ?? []).map(({ contentType, bytes }) => ({
    image: formatDataUrl(contentType, Buffer.from(bytes).toString('base64')),
  }))
  const references = (request.images ?? []).flatMap(({ image_url: url }, index) => {
    if (url == null) context.unsupported(`images[${index}].file_id`)
    return url == null ? [] : [{ image: url }]
  })
  return [...uploads, ...references, { text: request.prompt ?? '' }]
}
