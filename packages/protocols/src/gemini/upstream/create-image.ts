import type { CreateImageRequest } from '@sluice/contract'
import { applyDecisions, type Decisions } from '../../decisions.ts'
import type { Codec, CodecContext } from '../../protocol.ts'
import { usualImages } from '../../usual-decisions.ts'
import { type AddressOf, callModel } from './address.ts'
import {
  countOfImages,
  decodePictures,
  decodePredictions,
  pictureBody,
  promptOf,
  refuseParameters,
  shapeOf,
} from './images.ts'

const decisions: Decisions<'createImage'> = {
  ...usualImages,
  input: 'sent',
  parameters: 'sent',
  style: 'refused',
  output_format: 'sent',
  output_compression: 'sent',
  stream: 'gateway',
}

/** Imagen makes at most four images per request. */
const imagenCountMax = 4

/** Imagen models use `predict`; Gemini's image models respond with an image among their parts. */
export function geminiCreateImage(address: AddressOf): Codec<'createImage'> {
  return {
    encode(request, context) {
      applyDecisions('createImage', request, decisions, context)
      return drawsByPrediction(context.family)
        ? callModel(address, 'predict', predictBody(request, context), context)
        : callModel(address, 'generateContent', pictureBody(request, [], context), context)
    },
    decode(received, context, request) {
      const asked = { context, asUrl: request.response_format === 'url' }
      return drawsByPrediction(context.family)
        ? decodePredictions(received, asked)
        : decodePictures(received, asked)
    },
  }
}

function drawsByPrediction(model: string): boolean {
  return /(^|\/)imagen/i.test(model)
}

function predictBody(request: CreateImageRequest, context: CodecContext): unknown {
  refuseParameters(request, context)
  const shape = shapeOf(request, 'imagen', context)
  const count = countOfImages(request)
  if (count > imagenCountMax)
    context.unsupported(request.n == null ? 'parameters.n' : 'n', `at most ${imagenCountMax}`)
  if (request.seed != null) context.leftOut('seed')
  if (request.parameters?.seed != null) context.leftOut('parameters.seed')
  if (request.output_format === 'webp') context.unsupported('output_format')
  const { output_compression: quality, output_format: format } = request
  const output = {
    ...(format == null || format === 'webp' ? {} : { mimeType: `image/${format}` }),
    ...(quality == null ? {} : { compressionQuality: quality }),
  }
  return {
    instances: [{ prompt: promptOf(request) }],
    parameters: {
      sampleCount: Math.min(count, imagenCountMax),
      ...(shape === undefined
        ? {}
        : { aspectRatio: shape.aspectRatio, sampleImageSize: shape.imageSize }),
      ...(Object.keys(output).length === 0 ? {} : { outputOptions: output }),
    },
  }
}
