import { type EditImageRequest, formatDataUrl } from '@sluice/contract'
import { applyDecisions, type Decisions } from '../decisions.ts'
import type { Codec, CodecContext } from '../protocol.ts'
import { decodeImages } from './image-reply.ts'
import { type ImageContent, imageTask } from './image-request.ts'

const decisions: Decisions<'editImage'> = {
  model: 'sent',
  input: 'passed',
  parameters: 'passed',
  prompt: 'sent',
  image: 'sent',
  images: 'sent',
  mask: 'refused',
  input_fidelity: 'refused',
  watermark: 'sent',
  n: 'sent',
  size: 'sent',
  quality: 'refused',
  background: 'refused',
  output_format: 'refused',
  output_compression: 'refused',
  response_format: 'sent',
  moderation: 'refused',
  stream: 'gateway',
  partial_images: 'refused',
  user: 'hint',
  seed: 'sent',
}

/** Qwen image editing: the contract's own form as it is; uploads become data: addresses. */
export const editImage: Codec<'editImage'> = {
  encode(request, context) {
    applyDecisions('editImage', request, decisions, context)
    return imageTask(request, contentOf(request, context), context)
  },
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
