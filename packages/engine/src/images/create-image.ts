import type { Operation } from '../operation.ts'
import { imageAnswer } from './image-answer.ts'
import { imageOptions } from './image-options.ts'

/** How long one request may draw, in milliseconds. */
const timeoutMs = 60_000
const usualSize = { width: 1024, height: 1024 }

/** Composes pictures from a prompt, in either request form. */
export const createImage: Operation<'createImage'> = async (request, context) => {
  const options = imageOptions(request)
  const { prompt, negativePrompt, count, watermark, finish, isTransparent } = options
  const { size = usualSize } = options
  const input = { prompt, negativePrompt, count, watermark, finish, isTransparent, size }
  const output = await context.workers.run('generateImages', input, { timeoutMs })
  const stream = request.stream === true ? 'image_generation' : undefined
  return imageAnswer(output, options, { context, stream })
}
