import { type EditImageRequest, formatDataUrl } from '@sluice/contract'
import { applyDecisions, type Decisions } from '../decisions.ts'
import type { Codec, CodecContext } from '../protocol.ts'
import { usualImages } from '../usual-decisions.ts'
import { decodeImages, type ImageContent, imageTask } from './images.ts'

const decisions: Decisions<'editImage'> = {
  ...usualImages,
  input: 'passed',
  parameters: 'passed',
  image: 'sent',
  images: 'sent',
  mask: 'refused',
  input_fidelity: 'refused',
  watermark: 'sent',
  output_format: 'refused',
  output_compression: 'refused',
  stream: 'gateway',
}

/** Qwen image editing. The `input` and `parameters` of the gateway's API are sent unchanged; uploads become data: URLs. */
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
