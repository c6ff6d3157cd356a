import {
  GatewayError,
  invalidRequest,
  operations,
  Type,
  type VideoJob,
  validate,
} from '@sluice/contract'
import { ownFormats } from '@sluice/protocols/openai/client/formats.ts'
import type { FastifyReply } from 'fastify'
import {
  deleteVideo,
  downloadUpstream,
  findVideo,
  pollVideo,
  videoOf,
} from '@sluice/gateway/stored/videos.ts'
import type { Exchange } from './address.ts'
import { createCall } from './create-call.ts'
import { addressOf, endpoint } from './endpoint.ts'
import { foreignBytesHeaders } from './foreign-bytes.ts'
import { deliverAnswer } from './inference.ts'
import { one, pageOfItems, paging, pagingOf } from './query.ts'
import { deletion, pageOf } from './shapes.ts'

const listVideos = endpoint({
  method: 'GET',
  path: '/v1/videos',
  access: 'caller',
  operation: 'getVideo',
  uncounted: true,
  operationId: 'listVideos',
  summary: 'List the video tasks of the key',
  tag: 'Videos',
  query: paging,
  reply: pageOf(
    Type.Unsafe<{ readonly id: string }>({ $ref: '#/components/schemas/GetVideoReply' }),
  ),
  /** OpenAI API, list videos: limit 0 to 100, default 20; newest first unless order is asc. */
  async answer({ query }, exchange) {
    const { gateway, key } = exchange
    const { limit, isAscending, after } = pagingOf(query, 0)
    const found = await gateway.store.listVideoJobs(key.id, {
      limit: limit + 1,
      ascending: isAscending,
      ...(after !== undefined && { after }),
    })
    // If the video in `after` was deleted meanwhile, an empty page must not look like the end of the list.
    if (found.length === 0 && after !== undefined) {
      const last = await gateway.store.findVideoJob(after)
      if (last?.keyId !== key.id) throw invalidRequest('There is no video with this id', 'after')
    }
    return pageOfItems(
      found.map((job) => shown(exchange, job)),
      limit,
    )
  },
})

const deleteOne = endpoint({
  method: 'DELETE',
  path: '/v1/videos/{id}',
  access: 'caller',
  operation: 'getVideo',
  operationId: 'deleteVideo',
  summary: 'Delete a video task and its content',
  tag: 'Videos',
  reply: deletion('video.deleted'),
  async answer({ path: { id } }, { gateway, key, cancellation }) {
    await deleteVideo(gateway, key, { id, cancellation })
    return { id, object: 'video.deleted' as const, deleted: true as const }
  },
})

/** Endpoints for the key's video jobs besides the operations themselves. */
export const videoAddresses = [listVideos, deleteOne].map(addressOf)

function shown({ request }: Exchange, job: VideoJob) {
  return videoOf(job, `${request.publicAddress}/v1/videos/${job.id}/content`)
}

/** The current state of a job. */
export async function serveVideo(exchange: Exchange): Promise<void> {
  const { gateway, key, reply, parameters } = exchange
  const job = await findVideo(gateway, key, parameters['id'] ?? '')
  const call = createCall(exchange, { format: ownFormats.getVideo, fields: { id: job.id } })
  exchange.request.call = call
  reply.send(shown(exchange, await pollVideo(exchange, call, job)))
}

/** The content of a finished job. */
export async function serveVideoContent(exchange: Exchange): Promise<void> {
  const { gateway, key, request, parameters } = exchange
  const found = await findVideo(gateway, key, parameters['id'] ?? '')
  const variant = one(request.query, 'variant')
  const fields = validate(operations.downloadVideo.request, {
    id: found.id,
    ...(variant !== undefined && { variant }),
  })
  const call = createCall(exchange, { format: ownFormats.downloadVideo, fields })
  request.call = call
  // Polling the job is part of the same call, and its attempts are counted with it.
  const poll = createCall(exchange, { format: ownFormats.getVideo, fields: { id: found.id } })
  const job = await pollVideo(exchange, { ...poll, trail: call.trail }, found)
  if (job.status !== 'completed')
    throw invalidRequest(`The video is ${job.status}, it has no content`, 'id')
  // An error in place of the bytes has them too, and no use for them.
  request.answerHeaders.push(...foreignBytesHeaders)
  if (gateway.videos.owns(job)) return sendClip(exchange, job, fields.variant ?? 'video')
  await deliverAnswer(exchange, call, downloadUpstream(exchange, call, job))
}

async function sendClip(
  { gateway, reply, request }: Exchange,
  job: VideoJob,
  variant: 'video' | 'thumbnail' | 'spritesheet',
): Promise<void> {
  if (variant === 'spritesheet')
    throw invalidRequest('The built-in engine makes no spritesheets', 'variant')
  const expired = new GatewayError('not_found', 'The content of this video has expired')
  if (variant === 'thumbnail') {
    const picture = await gateway.videos.thumbnail(job)
    if (!picture) throw expired
    reply.header('content-type', 'image/webp').send(Buffer.from(picture))
    return
  }
  const clip = await gateway.videos.clip(job)
  if (!clip) throw expired
  sendRange(reply, Buffer.from(clip), request.headers.range)
}

/** Sends the whole video, or the requested range so that players can seek (RFC 9110, 14). */
function sendRange(reply: FastifyReply, clip: Buffer, range: string | undefined): void {
  const size = clip.length
  void reply
    .header('content-type', 'video/mp4')
    .header('accept-ranges', 'bytes')
    .header('cache-control', 'private, max-age=86400')
  const part = parseRange(range, size)
  if (part === 'unsatisfiable') {
    void reply.header('content-range', `bytes */${size}`)
    throw new GatewayError('range_not_satisfiable', `The video has ${size} bytes`)
  }
  if (!part) {
    reply.header('content-length', String(size)).send(clip)
    return
  }
  reply
    .code(206)
    .header('content-range', `bytes ${part.start}-${part.end}/${size}`)
    .header('content-length', String(part.end - part.start + 1))
    .send(clip.subarray(part.start, part.end + 1))
}

/** A part of a file; both ends are inclusive. */
interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Parses one byte range (RFC 9110, 14.1.2). Undefined if there is none, or one that may be ignored: several ranges or another
 * unit.
 */
function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '')
  if (!match) return undefined
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'unsatisfiable' : { start, end }
}
