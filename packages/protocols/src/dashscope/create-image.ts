import { applyDecisions, type Decisions } from '../decisions.ts'
import type { Codec } from '../protocol.ts'
import { decodeImages } from './image-reply.ts'
import { imageTask } from './image-request.ts'

const decisions: Decisions<'createImage'> = {
  model: 'sent',
  prompt: 'sent',
  input: 'passed',
  parameters: 'passed',
  style: 'refused',
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

/** Qwen image models that answer at once (Model Studio, Qwen image API). */
export const createImage: Codec<'createImage'> = {
  encode(request, context) {
    applyDecisions('createImage', request, decisions, context)
    return imageTask(request, [{ text: request.prompt ?? '' }], context)
  },
  decode: decodeImages,
}
