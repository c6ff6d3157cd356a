import {
  type CreateVideoRequest,
  GatewayError,
  noUsage,
  type UploadedFile,
  type Video,
  type VideoJob,
} from '@sluice/contract'
import type { ApiKey } from '../ports/api-key.ts'
import { freeTarget } from '../prices/target-price.ts'
import { answerHeaders, answerOf, begin, openRun } from '../answer/answer.ts'
import { askUpstream } from '../attempt/ask-upstream.ts'
import { Attempt, type BegunResponse } from '../attempt/attempt.ts'
import type { Cancellation } from '../call/cancellation.ts'
import { defaultTimeouts } from '../route/timeouts.ts'
import { namedFilesOf } from '../call/named-files.ts'
import { nameOfSecret } from '../attempt/secret-name.ts'
import type { Answer, Call } from '../call/call.ts'
import type { AnyReply } from '../call/canonical.ts'
import type { StoredParts } from './stored-parts.ts'
import { admitOn, type Door } from '../admit/admit.ts'
import type { Admitted } from '../admit/admit.ts'
import type { Target, Upstream } from '../route/routing.ts'
import type { CallRun } from '../attempt/call-run.ts'
import { deleteAtUpstream } from './delete-at-upstream.ts'

/** Finished videos are kept for a day. */
const keptSeconds = 86_400

/**
 * Starts a video job, here or upstream, and stores it under an id of the gateway. Upstream ids are never shown or
 * accepted.
 */
export async function createVideo(gateway: StoredParts, admitted: Admitted): Promise<Answer> {
  const run = openRun(gateway, admitted)
  const { call } = run
  const [target] = run.route.levels[0] ?? []
  const job =
    target?.kind === 'engine' && target.providerId === gateway.engine.id
      ? await startBuiltIn(run, target)
      : await startUpstream(run)
  return { kind: 'json', headers: answerHeaders(gateway, call), body: videoOf(job) }
}

async function startBuiltIn(run: CallRun<StoredParts>, target: Target): Promise<VideoJob> {
  const { gateway, call } = run
  const request = requestOf(call)
  const made = gateway.engine.models.find(({ id }) => id === target.model)
  if (!made?.operations.includes('createVideo'))
    throw new GatewayError('unsupported_value', `${target.id} does not make videos`, {
      param: 'model',
    })
  const image = await inputImage(gateway, call, request)
  await using room = await gateway.storageQuota.reserveVideo(call.key.id, image?.length ?? 0)
  const attempt = new Attempt(run, target, call.cancellation)
  try {
    const job = await room.use((slotId) =>
      gateway.videos.create(
        {
          keyId: call.key.id,
          model: run.route.model,
          prompt: request.prompt,
          seconds: String(request.seconds ?? 4),
          size: request.size ?? '720x1280',
          ...(image && { image }),
        },
        slotId,
      ),
    )
    attempt.report({ ...noUsage, seconds: Number(job.seconds) })
    attempt.complete()
    return job
  } catch (thrown) {
    attempt.fail(GatewayError.from(thrown))
    throw thrown
  }
}

const imageBytesMax = 50 * 1024 * 1024

async function inputImage(
  gateway: StoredParts,
  call: Call,
  { input_reference: reference }: CreateVideoRequest,
): Promise<Uint8Array | undefined> {
  if (reference == null) return undefined
  if (isUpload(reference)) return reference.bytes
  if (reference.image_url == null)
    throw new GatewayError('unsupported_parameter', 'The built-in engine keeps no files', {
      param: 'input_reference.file_id',
    })
  const { bytes } = await namedFilesOf(gateway.engineContext, call).fetch(reference.image_url, {
    bytesMax: imageBytesMax,
    param: 'input_reference.image_url',
    signal: call.cancellation.signal,
  })
  return bytes
}

function isUpload(reference: object): reference is UploadedFile {
  return 'bytes' in reference
}

/** The request as the schema of createVideo has validated it. */
function requestOf({ request }: Call): CreateVideoRequest {
  return request.value as CreateVideoRequest
}

async function startUpstream(run: CallRun<StoredParts>): Promise<VideoJob> {
  const { gateway, call } = run
  const request = requestOf(call)
  await using room = await gateway.storageQuota.reserveVideo(call.key.id, 0)
  const begun = await begin(run)
  const { answer, target } = begun
  if (answer.kind !== 'reply' || answer.jobId === undefined || !isVideo(answer.reply)) {
    begun.attempt.abandon()
    throw new GatewayError('upstream_garbled', 'The upstream returned no task id')
  }
  const video = answer.reply
  const job: VideoJob = {
    id: gateway.newId('video_'),
    keyId: call.key.id,
    provider: target.providerId,
    model: run.route.model,
    upstreamId: answer.jobId,
    status: video.status,
    progress: video.progress,
    prompt: request.prompt,
    seconds: video.seconds,
    size: video.size,
    request: JSON.stringify({
      upstreamModel: target.model,
      madeWith: begun.madeWith,
    } satisfies JobOrigin),
    createdAt: Math.floor(gateway.now() / 1000),
    ...(video.error && { error: video.error }),
  }
  await room.use((slotId) => gateway.store.addVideoJob(job, slotId))
  return job
}

function isVideo(reply: AnyReply): reply is Video {
  return 'object' in reply && reply.object === 'video'
}

/** Finds a video job of this key as it is stored. A job of another key is reported as not found. */
export async function findVideo(gateway: StoredParts, key: ApiKey, id: string): Promise<VideoJob> {
  const job = await gateway.store.findVideoJob(id)
  if (job?.keyId !== key.id) throw noVideo(id)
  return job
}

function noVideo(id: string): GatewayError {
  return new GatewayError('not_found', `There is no video ${JSON.stringify(id.slice(0, 100))}`, {
    param: 'id',
  })
}

/** Asks the upstream for the status of a job, unless it has already ended. */
export async function pollVideo(
  door: Door<StoredParts>,
  call: Call,
  job: VideoJob,
): Promise<VideoJob> {
  const { gateway } = door
  if (gateway.videos.owns(job) || job.status === 'completed' || job.status === 'failed') return job
  const begun = await askProvider(await providerRun(door, call, job), job)
  const { answer } = begun
  if (answer.kind !== 'reply' || !isVideo(answer.reply)) {
    begun.attempt.abandon()
    throw new GatewayError('upstream_garbled', 'Not a video task')
  }
  const video = answer.reply
  const change = {
    status: video.status,
    progress: Math.max(job.progress, video.progress),
    ...(video.status === 'completed' && {
      completedAt: video.completed_at ?? Math.floor(gateway.now() / 1000),
      expiresAt: video.expires_at ?? Math.floor(gateway.now() / 1000) + keptSeconds,
    }),
    ...(video.error && { error: video.error }),
    // Some upstreams return the location of the video only with the final status.
    ...(answer.jobId !== undefined && { upstreamId: answer.jobId }),
  }
  await gateway.store.updateVideoJob(job.id, change)
  return { ...job, ...change }
}

/** Downloads a finished video from the upstream that made it. */
export async function downloadUpstream(
  door: Door<StoredParts>,
  call: Call,
  job: VideoJob,
): Promise<Answer> {
  const run = await providerRun(door, call, job)
  return answerOf(run, await askProvider(run, job))
}

/** A run that goes to the provider that has the job. */
async function providerRun(
  door: Door<StoredParts>,
  call: Call,
  job: VideoJob,
): Promise<CallRun<StoredParts>> {
  const { gateway } = door
  const routing = gateway.current.routing
  providerOf(gateway, job)
  // The caller was authorized for the job under the model name it wrote, which may differ from the upstream's.
  const anyModel = { ...call.key, holders: [] }
  const model = `${job.provider}/${upstreamModelOf(job)}`
  const { upstreamId: jobId } = job
  const route = await routing.route(model, anyModel, call.operation)
  const asked = { ...call, ...(jobId !== undefined && { jobId }) }
  const admitted = await admitOn(door, asked, route)
  return { ...openRun(gateway, admitted), canonical: { id: job.id } }
}

/** The data stored to find a job at its upstream again. */
interface JobOrigin {
  readonly upstreamModel?: string
  /** The provider key that created it, as `nameOfSecret`. */
  readonly madeWith?: string | undefined
}

function originOf(request: string): JobOrigin {
  return JSON.parse(request)
}

function upstreamModelOf({ request, model }: VideoJob): string {
  return originOf(request).upstreamModel ?? model
}

/**
 * The provider that has the job, limited to the key that created it, because each key may belong to a different
 * account. If that key is no longer configured, all keys are used.
 */
function providerOf(gateway: StoredParts, job: VideoJob): Upstream {
  const upstream = gateway.current.routing.upstreams.get(job.provider)
  if (!upstream)
    throw new GatewayError('upstream_unavailable', `${job.provider} is not configured any more`)
  const { madeWith } = originOf(job.request)
  const secrets = upstream.secrets.filter((secret) => nameOfSecret(secret) === madeWith)
  return secrets.length === 0 ? upstream : { ...upstream, secrets }
}

/** Deletes a job of this key and its files, also at the provider if it supports that. */
export async function deleteVideo(
  gateway: StoredParts,
  key: ApiKey,
  { id, cancellation }: VideoRequest,
): Promise<void> {
  const job = await findVideo(gateway, key, id)
  await gateway.videos.cancel(id)
  // Providers refuse to delete a job in progress; it continues there.
  const isOver = job.status === 'completed' || job.status === 'failed'
  if (isOver && job.upstreamId !== undefined && !gateway.videos.owns(job)) {
    const upstream = gateway.current.routing.upstreams.get(job.provider)
    const request = upstream?.provider.protocol.deleteVideo?.(job.upstreamId)
    if (request)
      await deleteAtUpstream(gateway, providerOf(gateway, job), { request, cancellation })
  }
  if (!(await gateway.store.deleteVideoJob(id))) throw noVideo(id)
}

interface VideoRequest {
  readonly id: string
  readonly cancellation: Cancellation
}

/** A job is charged when it is created. */
const paidAlready = freeTarget('not charged', '')

/** Sends one request about a job to the provider that has it, without fallback. */
function askProvider(run: CallRun<StoredParts>, job: VideoJob): Promise<BegunResponse> {
  const { gateway, call } = run
  const model = upstreamModelOf(job)
  const upstream = providerOf(gateway, job)
  return askUpstream(
    run,
    {
      slots: [],
      rates: [],
      takesRoom: false,
      whenFull: 'wait',
      kind: 'upstream',
      id: `${job.provider}/${model}`,
      providerId: job.provider,
      model,
      family: model,
      upstream,
      weight: 1,
      priority: 0,
      because: 'it has the task',
      price: paidAlready,
      unsupported: 'hints',
      timeouts: { ...defaultTimeouts, ...upstream.timeouts },
    },
    call.cancellation,
  )
}

/** The public form of a job (contract, Video task). `contentUrl` is the URL of the finished video. */
export function videoOf(job: VideoJob, contentUrl?: string): Video {
  return {
    id: job.id,
    object: 'video',
    model: job.model,
    status: job.status,
    progress: job.status === 'completed' ? 100 : job.status === 'queued' ? 0 : job.progress,
    created_at: job.createdAt,
    completed_at: job.completedAt ?? null,
    expires_at: job.expiresAt ?? null,
    seconds: job.seconds,
    size: job.size,
    prompt: job.prompt,
    remixed_from_video_id: job.remixedFromVideoId ?? null,
    error: job.error ?? null,
    metadata: { url: job.status === 'completed' ? (contentUrl ?? null) : null },
  }
}
