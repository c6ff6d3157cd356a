import { type Fields, GatewayError, listOf, objectOf, someText } from '@sluice/contract'
import { jsonRequest } from '../../json-request.ts'
import type { UpstreamRequest } from '../../protocol.ts'

/**
 * What the gateway stores of a Veo job: the operation's name, and after `#`, once the video exists, its address. The address
 * cannot be derived from the name, and looking up a finished operation for every download would cost a request each time.
 */
export interface VeoJob {
  readonly operation: string
  /** A path with its query on the same host, such as `/v1beta/files/abc:download?alt=media`, or a `gs://` address. */
  readonly clip: string | undefined
}

type Settings = Readonly<Record<string, string>>

/** How to reach Veo's operations and videos at one of the two APIs that offer it. */
export interface VeoPlace {
  poll(operation: string, settings: Settings): UpstreamRequest
  /** The result of a finished operation. */
  responseIn(operation: Fields): Fields
  /** The video that a response names or contains; undefined if there is none. */
  madeIn(
    response: Fields,
  ): { readonly uri?: string | undefined; readonly clip?: string | undefined } | undefined
  /** Throws `conflict` if there is no video yet. */
  download(job: VeoJob, settings: Settings): UpstreamRequest
  /** The video inside an operation, for APIs whose operations may contain one. */
  clipIn?(
    operation: Fields,
  ): { readonly contentType: string; readonly bytes: Uint8Array } | undefined
  /** Undefined if there is nothing to delete. */
  remove(job: VeoJob): UpstreamRequest | undefined
}

export function formatJob({ operation, clip }: VeoJob): string {
  return clip === undefined ? operation : `${operation}#${clip}`
}

const operationName =
  /^(?:projects\/[\w.:-]+\/locations\/[\w-]+\/publishers\/[\w-]+\/)?models\/[\w.@-]+\/operations\/[\w.-]+$/

/** Throws `not_found` if the job id is not valid. */
export function parseJob(jobId: string | undefined): VeoJob {
  const [operation = '', ...clip] = (jobId ?? '').split('#')
  if (!operationName.test(operation)) throw new GatewayError('not_found', 'There is no such video')
  return { operation, clip: clip.length === 0 ? undefined : clip.join('#') }
}

function notFinished(): GatewayError {
  return new GatewayError('conflict', 'The video is not finished yet')
}

/** The Gemini API: videos are files on the same host (https://ai.google.dev/gemini-api/docs/video, files). */
export const geminiVideos: VeoPlace = {
  poll: (operation) => ({ method: 'GET', path: `/v1beta/${operation}` }),
  responseIn: ({ response }) => objectOf(objectOf(response)['generateVideoResponse']),
  madeIn(response) {
    const [sample] = listOf(response['generatedSamples'])
    const uri = someText(objectOf(objectOf(sample)['video'])['uri'])
    if (uri === undefined) return undefined
    const url = URL.parse(uri)
    return { uri, clip: url === null ? undefined : url.pathname + url.search }
  },
  download({ clip }) {
    if (clip === undefined) throw notFinished()
    return { method: 'GET', path: clip }
  },
  remove({ clip }) {
    const file = /^\/v1beta\/files\/[\w-]+/.exec(clip ?? '')?.[0]
    return file === undefined ? undefined : { method: 'DELETE', path: file }
  },
}

const storage = 'https://storage.googleapis.com'

/**
 * Vertex AI: operations are requested by name, under their model, and a video is in Cloud Storage or inside the operation
 * (https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation;
 * https://cloud.google.com/storage/docs/json_api/v1/objects).
 */
export const vertexVideos: VeoPlace = {
  poll(operation, { apiVersion }) {
    const [model = ''] = operation.split('/operations/')
    const path = `/${encodeURIComponent(apiVersion || 'v1')}/${model}:fetchPredictOperation`
    return jsonRequest(path, { operationName: operation })
  },
  responseIn: ({ response }) => objectOf(response),
  madeIn(response) {
    const video = firstVideo(response)
    const uri = someText(video['gcsUri'])
    if (uri !== undefined) return { uri, clip: uri }
    return typeof video['bytesBase64Encoded'] === 'string' ? {} : undefined
  },
  download(job, settings) {
    if (job.clip === undefined) return vertexVideos.poll(job.operation, settings)
    return { method: 'GET', origin: storage, path: `${objectPath(job.clip)}?alt=media` }
  },
  clipIn({ done, response }) {
    if (done !== true) throw notFinished()
    const { bytesBase64Encoded: data, mimeType } = firstVideo(objectOf(response))
    if (typeof data !== 'string') return undefined
    return { contentType: someText(mimeType) ?? 'video/mp4', bytes: Buffer.from(data, 'base64') }
  },
  remove: ({ clip }) =>
    clip === undefined ? undefined : { method: 'DELETE', origin: storage, path: objectPath(clip) },
}

/** The video is in `videos`; the earliest models name their videos as the Gemini API does. */
function firstVideo(response: Fields): Fields {
  const [video] = listOf(response['videos'])
  const [sample] = listOf(response['generatedSamples'])
  const { uri, ...rest } = objectOf(objectOf(sample)['video'])
  return video === undefined ? { gcsUri: uri, ...rest } : objectOf(video)
}

function objectPath(uri: string): string {
  const [, bucket, object] = /^gs:\/\/([\w.-]+)\/(.+)$/.exec(uri) ?? []
  if (bucket === undefined || object === undefined)
    throw new GatewayError('upstream_garbled', 'The upstream named no clip in Cloud Storage')
  return `/storage/v1/b/${bucket}/o/${encodeURIComponent(object)}`
}
