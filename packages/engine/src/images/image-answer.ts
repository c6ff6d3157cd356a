import type { ImagesReply, ResultOf, Step, TypedEvent, Usage } from '@sluice/contract'
import type { OperationContext } from '../engine.ts'
import { countSent } from '../tokens.ts'
import type { ImagesOutput } from './edit-images.ts'
import type { ImageOptions } from './image-options.ts'
import type { FinishedPicture } from './picture.ts'

/** Image tokens are patches of 32 by 32 pixels, as the gateway counts them. */
const patchPixels = 1024

type Prefix = 'image_edit' | 'image_generation'

/** The result of one job, as a whole or as a stream of previews and images (OpenAI API, image streaming events). */
export async function imageAnswer(
  output: ImagesOutput,
  options: ImageOptions,
  { context, stream }: { readonly context: OperationContext; readonly stream: Prefix | undefined },
): Promise<ResultOf<'editImage'>> {
  const usage = usageOf(output, options)
  if (stream !== undefined)
    return { kind: 'events', events: eventsOf(output, options, { context, prefix: stream }) }
  const [first] = output.pictures
  const data = output.pictures.map(async ({ bytes }) => ({
    // All three keys are strings: the contract requires them, and OpenAI's schema does not allow null here.
    url: await context.publish(bytes, `image/${options.finish.format}`),
    b64_json: options.asUrl ? '' : Buffer.from(bytes).toString('base64'),
    revised_prompt: options.extend ? output.understood : '',
  }))
  const reply: ImagesReply = {
    created: Math.floor(context.now() / 1000),
    data: await Promise.all(data),
    ...(first === undefined ? {} : looksOf(first, options)),
    usage: publicUsage(usage),
  }
  return { kind: 'reply', reply, usage }
}

async function* eventsOf(
  output: ImagesOutput,
  options: ImageOptions,
  { context, prefix }: { readonly context: OperationContext; readonly prefix: Prefix },
): AsyncGenerator<Step<TypedEvent>> {
  const usage = usageOf(output, options)
  for (const picture of output.pictures) {
    const event = (type: string, bytes: Uint8Array): TypedEvent => ({
      type,
      b64_json: Buffer.from(bytes).toString('base64'),
      created_at: Math.floor(context.now() / 1000),
      size: 'auto',
      ...looksOf(picture, options),
    })
    for (const [index, preview] of picture.previews.entries()) {
      const partial = event(`${prefix}.partial_image`, preview)
      yield { event: { ...partial, partial_image_index: index } }
    }
    const completed = event(`${prefix}.completed`, picture.bytes)
    yield { event: { ...completed, usage: publicUsage(usage) } }
  }
  yield { usage }
}

/** OpenAI's schema allows three sizes; any other is left out, since the image itself shows it. */
const openAiSizes = ['1024x1024', '1024x1536', '1536x1024']

function looksOf({ width, height, isOpaque }: FinishedPicture, { finish, quality }: ImageOptions) {
  const size = `${width}x${height}`
  const background: 'opaque' | 'transparent' = isOpaque ? 'opaque' : 'transparent'
  const looks = { background, output_format: finish.format, quality }
  return openAiSizes.includes(size) ? { ...looks, size } : looks
}

function usageOf({ pictures, inputPixels }: ImagesOutput, { prompt }: ImageOptions): Usage {
  const imageInputTokens = Math.ceil(inputPixels / patchPixels)
  const patches = pictures.map(({ width, height }) => Math.ceil((width * height) / patchPixels))
  return {
    inputTokens: countSent(prompt) + imageInputTokens,
    imageInputTokens,
    outputTokens: patches.reduce((sum, count) => sum + count, 0),
    images: pictures.length,
  }
}

/** OpenAI API, ImageGenUsage. */
function publicUsage({ inputTokens, outputTokens, imageInputTokens = 0 }: Usage) {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    input_tokens_details: {
      text_tokens: inputTokens - imageInputTokens,
      image_tokens: imageInputTokens,
    },
  }
}
