import type { EditImageRequest } from '@sluice/contract'
import { applyDecisions, type Decisions } from '../../decisions.ts'
import type { MediaAddress } from '../../media-addresses.ts'
import type { Codec, CodecContext } from '../../protocol.ts'
import { usualImages } from '../../usual-decisions.ts'
import type { Part } from '../generate-content.ts'
import { type AddressOf, callModel } from './address.ts'
import { decodePictures, pictureBody } from './images.ts'
import { mediaPart, mustBeFetched } from './media-part.ts'

const decisions: Decisions<'editImage'> = {
  ...usualImages,
  input: 'sent',
  parameters: 'sent',
  image: 'sent',
  images: 'sent',
  mask: 'refused',
  input_fidelity: 'refused',
  watermark: 'refused',
  output_format: 'sent',
  output_compression: 'sent',
  stream: 'gateway',
}

/** Gemini's image models edit the images in the request (Gemini API, image generation guide). */
export function geminiEditImage(address: AddressOf): Codec<'editImage'> {
  return {
    encode(request, context) {
      applyDecisions('editImage', request, decisions, context)
      const body = pictureBody(request, imageParts(request, context), context)
      return callModel(address, 'generateContent', body, context)
    },
    decode: (received, context, request) =>
      decodePictures(received, { context, asUrl: request.response_format === 'url' }),
    media: (request) => addressesOf(request).filter(({ url }) => mustBeFetched(url)),
  }
}

function imageParts(request: EditImageRequest, context: CodecContext): readonly Part[] {
  const uploads = (request.image ?? []).map(({ contentType, bytes }) => ({
    inlineData: { mimeType: contentType, data: Buffer.from(bytes).toString('base64') },
  }))
  for (const [index, { file_id: id, image_url: url }] of (request.images ?? []).entries())
    if (url == null && id != null) context.unsupported(`images[${index}].file_id`)
  return [...uploads, ...addressesOf(request).map((each) => mediaPart(each, context))]
}

/** Images given by their address: OpenAI's references, and those in DashScope's messages. */
function addressesOf({ images, input }: EditImageRequest): readonly MediaAddress[] {
  const references = (images ?? []).map(({ image_url: url }, index) => ({
    url,
    param: `images[${index}].image_url`,
  }))
  const parts = (input?.messages ?? []).flatMap(({ content }, message) =>
    content.map(({ image }, index) => ({
      url: image,
      param: `input.messages[${message}].content[${index}].image`,
    })),
  )
  return [...references, ...parts].flatMap(({ url, param }) =>
    url == null ? [] : [{ url, param }],
  )
}
