import { GatewayError, type OperationName, operations } from '@sluice/contract'

/** Pictures made of pixels. SVG is a document that may contain scripts. */
const rasterPictures: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'image/avif',
  'image/bmp',
  'image/tiff',
])

/** Containers of sound and video that are registered elsewhere. */
const containers: ReadonlySet<string> = new Set(['application/ogg', 'application/mp4'])

/**
 * The media type with which an upstream's media reaches the caller: a video, a sound or a raster picture, with its parameters.
 * `usual` if the upstream names none, or only bytes. Undefined for every other type.
 */
export function mediaTypeOf(contentType: string, usual: string): string | undefined {
  const [type = ''] = contentType.split(';', 1)
  const name = type.trim().toLowerCase()
  if (name === '' || name === 'application/octet-stream' || name === 'binary/octet-stream')
    return usual
  const isMedia =
    rasterPictures.has(name) || containers.has(name) || /^(?:audio|video)\/[a-z0-9.+-]+$/.test(name)
  return isMedia ? contentType : undefined
}

/** The type of media whose upstream names none. What is read by GET may be opened in a browser, so it always has its own. */
export function usualMediaType(operation: OperationName): string | undefined {
  const { method, replyType } = operations[operation]
  if (replyType === undefined) return undefined
  return method === 'GET' ? replyType : 'application/octet-stream'
}

/**
 * The type of media that arrived inside a JSON response, which named it.
 *
 * @throws GatewayError `upstream_garbled` if an operation whose response is read by GET got anything but media.
 */
export function renderedType(contentType: string, operation: OperationName): string {
  if (operations[operation].method !== 'GET') return contentType
  const type = mediaTypeOf(contentType, usualMediaType(operation) ?? '')
  if (type === undefined)
    throw new GatewayError('upstream_garbled', 'The upstream answered with no media')
  return type
}
