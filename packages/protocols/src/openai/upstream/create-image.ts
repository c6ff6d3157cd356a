import { reportUnlistedInside } from '../../decisions.ts'
import type { Codec } from '../../protocol.ts'
import { imageFields, refuseImages } from './image-fields.ts'
import { decodeImages } from './image-reply.ts'
import { createTypedEventReader, createTypedEventWatcher } from './typed-events.ts'

/** Fields that an upstream accepts beyond OpenAI's own. All other fields of the contract's `parameters` are rejected. */
type ImageExtension = 'negative_prompt' | 'prompt_extend' | 'watermark' | 'seed'

export interface ImageOptions {
  readonly knows?: readonly ImageExtension[]
}

/** Image generation (https://platform.openai.com/docs/api-reference/images/create). */
export function openaiCreateImage(options: ImageOptions = {}): Codec<'createImage'> {
  const knows: ReadonlySet<string> = new Set(options.knows)
  return {
    encode(request, context) {
      refuseImages(request)
      reportUnlistedInside('createImage', ['input'], { request, reports: context })
      return {
        method: 'POST',
        path: '/images/generations',
        body: { kind: 'json', value: imageFields(request, context, knows) },
      }
    },
    decode: decodeImages,
    stream: { reader: createTypedEventReader, watcher: createTypedEventWatcher },
  }
}
