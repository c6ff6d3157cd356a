import { applyDecisions, type Decisions } from '../decisions.ts'
import type { Codec } from '../protocol.ts'
import { usualImages } from '../usual-decisions.ts'
import { decodeImages, imageTask } from './images.ts'

const decisions: Decisions<'createImage'> = {
  ...usualImages,
  input: 'passed',
  parameters: 'passed',
  style: 'refused',
  output_format: 'refused',
  output_compression: 'refused',
  stream: 'gateway',
}

/** Qwen image models, which respond synchronously (Model Studio, Qwen image API). */
export const createImage: Codec<'createImage'> = {
  encode(request, context) {
    applyDecisions('createImage', request, decisions, context)
    return imageTask(request, [{ text: request.prompt ?? '' }], context)
  },
  decode: decodeImages,
}
