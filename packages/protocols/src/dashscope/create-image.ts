import type { Codec } from '../protocol.ts'
import { decodeImages } from './image-reply.ts'
import { imageTask } from './image-request.ts'

/** Qwen image models that answer at once (Model Studio, Qwen image API). */
export const createImage: Codec<'createImage'> = {
  encode: (request, context) => imageTask(request, [{ text: request.prompt ?? '' }], context),
  decode: decodeImages,
}
