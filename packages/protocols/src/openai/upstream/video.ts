import {
  countOf,
  type Fields,
  GatewayError,
  isObject,
  objectOf,
  someText,
  type Video,
} from '@sluice/contract'
import { bodyOf } from '../../failure.ts'
import type { Codec, CodecContext, Received, UpstreamBody } from '../../protocol.ts'
import { formParts, isUploadedFile } from './form.ts'

/** Video jobs (https://platform.openai.com/docs/api-reference/videos): JSON, or a form if an image is uploaded. */
export const openaiCreateVideo: Codec<'createVideo'> = {
  encode(request, context) {
    const { input_reference: reference, seconds, ...rest } = request
    const fields = {
      ...rest,
      model: context.model,
      ...(seconds == null ? {} : { seconds: String(seconds) }),
    }
    const body: UpstreamBody = isUploadedFile(reference)
      ? {
          kind: 'form',
          parts: [...formParts(fields), { name: 'input_reference', file: reference }],
        }
      : {
          kind: 'json',
          value: { ...fields, ...(reference == null ? {} : { input_reference: reference }) },
        }
    return { method: 'POST', path: '/videos', body }
  },
  decode(received, context, request) {
    const { reply, jobId } = decodeVideo(received, context)
    const seconds = Number(request.seconds ?? reply.seconds)
    return { reply, jobId, usage: { inputTokens: 0, outputTokens: 0, seconds } }
  },
}

/** The status of a video job (https://platform.openai.com/docs/api-reference/videos/retrieve). */
export const openaiGetVideo: Codec<'getVideo'> = {
  encode: (_request, context) => ({ method: 'GET', path: pathOfJob(context) }),
  decode: decodeVideo,
}

/** The finished video or an image of it (https://platform.openai.com/docs/api-reference/videos/content). */
export const openaiDownloadVideo: Codec<'downloadVideo'> = {
  encode({ variant }, context) {
    const query = variant == null ? '' : `?variant=${variant}`
    return { method: 'GET', path: `${pathOfJob(context)}/content${query}` }
  },
  decode() {
    throw new GatewayError('upstream_garbled', 'The upstream answered with JSON instead of a video')
  },
  bytes: true,
}

function pathOfJob({ jobId }: CodecContext): string {
  if (jobId === undefined) throw new GatewayError('not_found', 'There is no such video task')
  return `/videos/${encodeURIComponent(jobId)}`
}

/** The words for a job's status, of OpenAI and of upstreams that resemble it. */
const statuses: Readonly<Record<string, Video['status']>> = {
  queued: 'queued',
  pending: 'queued',
  submitted: 'queued',
  created: 'queued',
  in_progress: 'in_progress',
  processing: 'in_progress',
  running: 'in_progress',
  completed: 'completed',
  succeeded: 'completed',
  success: 'completed',
  failed: 'failed',
  error: 'failed',
  cancelled: 'failed',
  canceled: 'failed',
  expired: 'failed',
}

/** Reads a video job (OpenAI API, VideoResource). Its id at the upstream is the job id. */
function decodeVideo(
  received: Received,
  context: CodecContext,
): { readonly reply: Video; readonly jobId: string } {
  const body = received.json()
  // A failed job has an `error` of its own, which is not a failure of the request.
  const video = isObject(body) && someText(body['status']) !== undefined ? body : bodyOf(received)
  const jobId = someText(video['id']) ?? context.jobId
  if (jobId === undefined)
    throw new GatewayError('upstream_garbled', 'The upstream answered without a task id')
  return { jobId, reply: videoOf(video, jobId, context) }
}

function videoOf(video: Fields, id: string, context: CodecContext): Video {
  const status = statuses[someText(video['status'])?.toLowerCase() ?? ''] ?? 'in_progress'
  const seconds = video['seconds'] ?? video['duration']
  const url =
    someText(video['url']) ??
    someText(video['video_url']) ??
    someText(objectOf(video['metadata'])['url'])
  return {
    id,
    object: 'video',
    model: context.publicModel,
    status,
    progress: progressOf(video['progress'], status),
    created_at: secondsOf(video['created_at']) ?? Math.floor(context.now() / 1000),
    completed_at: secondsOf(video['completed_at']) ?? null,
    expires_at: secondsOf(video['expires_at']) ?? null,
    seconds: typeof seconds === 'number' ? String(seconds) : (someText(seconds) ?? '4'),
    size: someText(video['size']) ?? '720x1280',
    prompt: someText(video['prompt']) ?? null,
    remixed_from_video_id: someText(video['remixed_from_video_id']) ?? null,
    error: status === 'failed' ? errorOf(video['error']) : null,
    ...(url === undefined ? {} : { metadata: { url } }),
  }
}

function progressOf(value: unknown, status: Video['status']): number {
  if (status === 'queued') return 0
  if (status === 'completed') return 100
  const number = typeof value === 'string' ? Number.parseInt(value, 10) : value
  return Math.min(100, countOf(number) ?? 0)
}

/** In seconds since the epoch; some upstreams use milliseconds. */
function secondsOf(value: unknown): number | undefined {
  const time = countOf(value)
  return time === undefined || time === 0 ? undefined : time > 1e11 ? Math.floor(time / 1000) : time
}

function errorOf(error: unknown): { code: string; message: string } {
  const { code, message } = objectOf(error)
  return {
    code: someText(code) ?? 'video_generation_failed',
    message: someText(message) ?? someText(error) ?? 'The upstream could not make the video',
  }
}
