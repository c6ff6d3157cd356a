import {
  dashscopeImageBytesMax,
  type EditImageRequest,
  GatewayError,
  imageBytesMax,
  type UploadedFile,
} from '@sluice/contract'
import type { Operation, OperationContext } from '../engine.ts'
import type { ImageSource } from './edit-images.ts'
import { imageAnswer } from './image-answer.ts'
import { imageOptions } from './image-options.ts'

/** Time limit for one request, in milliseconds. */
const timeoutMs = 60_000

/** Edits images as the instruction says, in any of the three request forms. */
export const editImage: Operation<'editImage'> = async (request, context) => {
  const options = imageOptions(request)
  const images = await readImages(request, context)
  const mask =
    request.mask == null
      ? undefined
      : 'bytes' in request.mask
        ? uploaded(request.mask, 'mask')
        : await readReference(request.mask, 'mask', context)
  const output = await context.workers.run(
    'editImages',
    { ...options, images, mask },
    { timeoutMs, param: images[0]?.param ?? 'image' },
  )
  const stream = request.stream === true ? 'image_edit' : undefined
  return imageAnswer(output, options, { context, stream })
}

type Reference = NonNullable<EditImageRequest['images']>[number]

async function readImages(
  request: EditImageRequest,
  context: OperationContext,
): Promise<readonly ImageSource[]> {
  const linked = (request.input?.messages ?? []).flatMap(({ content }, message) =>
    content.flatMap(({ image }, index) => {
      const param = `input.messages[${message}].content[${index}].image`
      return image === undefined ? [] : [fetched(image, param, dashscopeImageBytesMax, context)]
    }),
  )
  const files = (request.image ?? []).map((file, index, all) =>
    uploaded(file, all.length === 1 ? 'image' : `image[${index}]`),
  )
  const references = (request.images ?? []).map((reference, index) =>
    readReference(reference, `images[${index}]`, context),
  )
  return [...files, ...(await Promise.all([...linked, ...references]))]
}

function uploaded({ bytes }: UploadedFile, param: string): ImageSource {
  if (bytes.length > imageBytesMax)
    throw new GatewayError('too_large', 'An image may have at most 50 MB', { param })
  return { bytes, param }
}

async function readReference(
  { image_url: url }: Reference,
  path: string,
  context: OperationContext,
): Promise<ImageSource> {
  if (url != null) return fetched(url, `${path}.image_url`, imageBytesMax, context)
  const text = 'The built-in engine keeps no files; send image_url'
  throw new GatewayError('unsupported_parameter', text, { param: `${path}.file_id` })
}

async function fetched(
  url: string,
  param: string,
  bytesMax: number,
  { fetchMedia }: OperationContext,
): Promise<ImageSource> {
  const { bytes } = await fetchMedia(url, { bytesMax, param })
  return { bytes, param }
}

/** Creates images from a prompt, in either request form. */
export const createImage: Operation<'createImage'> = async (request, context) => {
  const options = imageOptions(request)
  const output = await context.workers.run('generateImages', options, { timeoutMs })
  const stream = request.stream === true ? 'image_generation' : undefined
  return imageAnswer(output, options, { context, stream })
}
