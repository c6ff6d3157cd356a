import { type CreateVideoRequest, type Fields, GatewayError, someText } from '@sluice/contract'
import { applyDecisions, type Decisions } from '../../decisions.ts'
import type { Codec, CodecContext, Decoded, Received, UpstreamRequest } from '../../protocol.ts'
import { videoReply } from '../../video-reply.ts'
import type { Blob } from '../generate-content.ts'
import { type AddressOf, callModel } from './address.ts'
import { bodyOf } from './failure.ts'
import { mediaPart, mustBeFetched } from './media-part.ts'

/** Veo's defaults. */
const usualSeconds = '8'
const usualSize = '1280x720'

/** Veo's aspect ratio and resolution by size (Gemini API, video guide). */
const shapes: Readonly<
  Record<string, { readonly aspectRatio: string; readonly resolution: string }>
> = {
  '1280x720': { aspectRatio: '16:9', resolution: '720p' },
  '720x1280': { aspectRatio: '9:16', resolution: '720p' },
  '1920x1080': { aspectRatio: '16:9', resolution: '1080p' },
  '1080x1920': { aspectRatio: '9:16', resolution: '1080p' },
  '3840x2160': { aspectRatio: '16:9', resolution: '4k' },
  '2160x3840': { aspectRatio: '9:16', resolution: '4k' },
}

const decisions: Decisions<'createVideo'> = {
  model: 'sent',
  prompt: 'sent',
  input_reference: 'sent',
  seconds: 'sent',
  size: 'sent',
}

/**
 * Veo as a long-running operation (https://ai.google.dev/gemini-api/docs/video,
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation). If the setting `storageUri`
 * exists, Vertex AI writes the video there.
 */
export function veoCreateVideo(address: AddressOf): Codec<'createVideo'> {
  return { encode: (request, context) => encode(request, context, address), decode, media }
}

function encode(
  request: CreateVideoRequest,
  context: CodecContext,
  address: AddressOf,
): UpstreamRequest {
  applyDecisions('createVideo', request, decisions, context)
  const parameters = parametersOf(request, context)
  const image = imageOf(request, context)
  const instance = {
    prompt: request.prompt,
    ...(image && { image: { bytesBase64Encoded: image.data, mimeType: image.mimeType } }),
  }
  const value = {
    instances: [instance],
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
  }
  return callModel(address, 'predictLongRunning', value, context)
}

function decode(
  received: Received,
  context: CodecContext,
  request: CreateVideoRequest,
): Decoded<'createVideo'> {
  const jobId = someText(bodyOf(received)['name'])
  if (jobId === undefined)
    throw new GatewayError('upstream_garbled', 'The upstream named no operation')
  const video = {
    id: context.newId('video_'),
    status: 'queued' as const,
    seconds: String(request.seconds ?? usualSeconds),
    size: request.size ?? usualSize,
    prompt: request.prompt,
  }
  return { reply: videoReply(video, context), jobId }
}

function media(request: CreateVideoRequest) {
  const address = addressOf(request)
  return address !== undefined && mustBeFetched(address.url) ? [address] : []
}

function parametersOf({ size, seconds }: CreateVideoRequest, context: CodecContext): Fields {
  const shape = size == null ? undefined : shapes[size]
  if (size != null && shape === undefined) context.unsupported('size')
  const { storageUri } = context.settings
  return {
    ...shape,
    ...(seconds == null ? {} : { durationSeconds: Number(seconds) }),
    ...(storageUri && { storageUri }),
  }
}

function addressOf({ input_reference: reference }: CreateVideoRequest) {
  if (reference == null || 'bytes' in reference || reference.image_url == null) return undefined
  return { url: reference.image_url, param: 'input_reference.image_url' }
}

/** The first frame of the video. */
function imageOf(request: CreateVideoRequest, context: CodecContext): Blob | undefined {
  const { input_reference: reference } = request
  if (reference != null && 'bytes' in reference) {
    const data = Buffer.from(reference.bytes).toString('base64')
    return { mimeType: reference.contentType, data }
  }
  const address = addressOf(request)
  if (address !== undefined) {
    const { inlineData } = mediaPart(address, context)
    if (inlineData !== undefined) return inlineData
    context.unsupported(address.param)
  } else if (reference?.file_id != null) context.unsupported('input_reference.file_id')
  return undefined
}
