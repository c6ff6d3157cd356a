import type { Operation } from '../operation.ts'
import { imageAnswer } from './image-answer.ts'
import { imageOptions } from './image-options.ts'

/** Time limit for drawing one request, in milliseconds. */
const timeoutMs = 60_000

/** Creates images from a prompt, in either request form. */
export const createImage: Operation<'createImage'> = async (request, context) => {
  const options = imageOptions(request)
  const output = await context.workers.run('generateImages', options, { timeoutMs })
  const stream = request.stream === true ? 'image_generation' : undefined
  return imageAnswer(output, options, { context, stream })
}
