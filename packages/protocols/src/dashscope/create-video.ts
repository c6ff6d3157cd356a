import {
  type CreateVideoRequest,
  formatDataUrl,
  GatewayError,
  objectOf,
  someText,
} from '@sluice/contract'
import { applyDecisions, type Decisions } from '../decisions.ts'
import { jsonRequest } from '../json-request.ts'
import type { Codec, CodecContext } from '../protocol.ts'
import { bodyOf } from './failure.ts'
import { formatTask, videoOf } from './video-task.ts'

/** Wan's defaults. */
const usualSeconds = 5
const usualSize = '1280x720'

const decisions: Decisions<'createVideo'> = {
  model: 'sent',
  prompt: 'sent',
  input_reference: 'sent',
  seconds: 'sent',
  size: 'sent',
}

/** Wan's text-to-video and image-to-video models, which run as asynchronous tasks (Model Studio, Wan video API). */
export const createVideo: Codec<'createVideo'> = {
  encode(request, context) {
    applyDecisions('createVideo', request, decisions, context)
    const image = imageOf(request, context)
    const value = {
      model: context.model,
      input: { prompt: request.prompt, ...(image === undefined ? {} : { img_url: image }) },
      parameters: {
        ...sizeOf(request, image !== undefined),
        ...(request.seconds == null ? {} : { duration: Number(request.seconds) }),
      },
    }
    const path = '/api/v1/services/aigc/video-generation/video-synthesis'
    return jsonRequest(path, value, { 'x-dashscope-async': 'enable' })
  },
  decode(received, context, request) {
    const output = objectOf(bodyOf(received)['output'])
    const taskId = someText(output['task_id'])
    if (taskId === undefined)
      throw new GatewayError('upstream_garbled', 'DashScope answered without a task')
    const reply = videoOf(
      output,
      {
        id: context.newId('video_'),
        seconds: String(request.seconds ?? usualSeconds),
        size: request.size ?? usualSize,
        prompt: request.prompt,
      },
      context,
    )
    return { reply, jobId: formatTask({ taskId }) }
  },
}

/** A video from an image keeps the image's aspect ratio. Only the resolution is chosen, by the shorter side. */
function sizeOf({ size }: CreateVideoRequest, fromImage: boolean): object {
  if (size == null) return {}
  if (!fromImage) return { size: size.replace('x', '*') }
  const shorter = Math.min(...size.split('x').map(Number))
  return { resolution: shorter >= 1080 ? '1080P' : shorter >= 720 ? '720P' : '480P' }
}

function imageOf(
  { input_reference: reference }: CreateVideoRequest,
  context: CodecContext,
): string | undefined {
  if (reference == null) return undefined
  if ('bytes' in reference)
    return formatDataUrl(reference.contentType, Buffer.from(reference.bytes).toString('base64'))
  if (reference.image_url != null) return reference.image_url
  if (reference.file_id != null) context.unsupported('input_reference.file_id')
  return undefined
}
