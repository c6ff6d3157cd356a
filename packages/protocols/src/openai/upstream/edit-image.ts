import {
  type EditImageRequest,
  formatDataUrl,
  invalidRequest,
  parseDataUrl,
  type UploadedFile,
} from '@sluice/contract'
import { reportUnlistedInside } from '../../decisions.ts'
import { describedFile } from '../../file-types.ts'
import type { Codec, CodecContext, UpstreamBody } from '../../protocol.ts'
import type { ImageOptions } from './create-image.ts'
import { formParts, isUploadedFile } from './form.ts'
import { type ImageAddress, imageFields, inputImages } from './image-fields.ts'
import { decodeImages } from './image-reply.ts'
import { createTypedEventReader, createTypedEventWatcher } from './typed-events.ts'

/**
 * Image editing (https://platform.openai.com/docs/api-reference/images/createEdit). All three forms of the request are sent as
 * a multipart form that contains the images, which every compatible upstream reads. Only references to files that the upstream
 * stores (`file_id`) need OpenAI's JSON form.
 */
export function openaiEditImage(options: ImageOptions = {}): Codec<'editImage'> {
  const knows: ReadonlySet<string> = new Set(options.knows)
  return {
    encode: (request, context) => ({
      method: 'POST',
      path: '/images/edits',
      body: bodyFor(request, context, imageFields(request, context, knows)),
    }),
    decode: decodeImages,
    stream: { reader: createTypedEventReader, watcher: createTypedEventWatcher },
    media(request) {
      if (keepsFiles(request)) return []
      return addresses(request).filter(({ url }) => !url.startsWith('data:'))
    },
  }
}

type Mask = EditImageRequest['mask']

/** Every image of the request that is given by its address; the mask comes last. */
function addresses({ input, images, mask }: EditImageRequest): readonly ImageAddress[] {
  const references = (images ?? []).flatMap(({ image_url: url }, index) =>
    url == null ? [] : [{ url, param: `images[${index}].image_url` }],
  )
  return [...inputImages(input), ...references, ...maskAddress(mask)]
}

function maskAddress(mask: Mask): readonly ImageAddress[] {
  if (mask == null || isUploadedFile(mask) || mask.image_url == null) return []
  return [{ url: mask.image_url, param: 'mask.image_url' }]
}

function keepsFiles({ images, mask }: EditImageRequest): boolean {
  const references = [...(images ?? []), ...(mask == null || isUploadedFile(mask) ? [] : [mask])]
  return references.some(({ file_id: id }) => id != null)
}

function bodyFor(
  request: EditImageRequest,
  context: CodecContext,
  fields: Record<string, unknown>,
): UpstreamBody {
  const { input, images, mask, image = [] } = request
  const uploads = image ?? []
  const changed = keepsFiles(request) ? ['input'] : ['input', 'images', 'mask']
  reportUnlistedInside('editImage', changed, { request, reports: context })
  if (keepsFiles(request)) {
    const references = [
      ...uploads.map(asReference),
      ...inputImages(input).map(({ url }) => ({ image_url: url })),
      ...(images ?? []),
    ]
    const masked = mask == null ? {} : { mask: isUploadedFile(mask) ? asReference(mask) : mask }
    return { kind: 'json', value: { ...fields, images: references, ...masked } }
  }
  const files = addresses({ ...request, mask: null }).map((address, index) =>
    fileOf(address, { context, name: `image-${uploads.length + index + 1}` }),
  )
  const all = [...uploads, ...files]
  const masks = isUploadedFile(mask)
    ? [mask]
    : maskAddress(mask).map((address) => fileOf(address, { context, name: 'mask' }))
  const name = all.length === 1 ? 'image' : 'image[]'
  return {
    kind: 'form',
    parts: [
      ...formParts(fields),
      ...all.map((file) => ({ name, file: describedFile(file) })),
      ...masks.map((file) => ({ name: 'mask', file: describedFile(file) })),
    ],
  }
}

function asReference({ contentType, bytes }: UploadedFile): { readonly image_url: string } {
  return { image_url: formatDataUrl(contentType, Buffer.from(bytes).toString('base64')) }
}

const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/bmp': 'bmp',
  'image/tiff': 'tiff',
}

/** The image at an address: decoded from a data URL, or downloaded before. */
function fileOf(
  { url, param }: ImageAddress,
  { context, name }: { readonly context: CodecContext; readonly name: string },
): UploadedFile {
  const file = url.startsWith('data:') ? decoded(url) : context.media.get(url)
  if (file === undefined)
    throw invalidRequest('An image must be an http(s) URL or a data URL', param)
  const extension = extensions[file.contentType] ?? 'png'
  return { ...file, filename: `${name}.${extension}` }
}

function decoded(url: string): Omit<UploadedFile, 'filename'> | undefined {
  const data = parseDataUrl(url)
  return data && { contentType: data.contentType, bytes: Buffer.from(data.base64, 'base64') }
}
