import { type Fields, listOf, objectOf, someText, type Video } from '@sluice/contract'
import type { Codec } from '../../protocol.ts'
import { bodyOf } from './failure.ts'
import { formatJob, parseJob } from './video.ts'

type VideoState = Pick<Video, 'status' | 'progress' | 'error' | 'metadata'>

/**
 * A Veo operation (https://ai.google.dev/api/operations). It tells neither how far it is nor what it was asked for:
 * length, size and prompt are the gateway's to remember. Once the clip is there, the job says where.
 */
export const geminiGetVideo: Codec<'getVideo'> = {
  encode: (_request, context) => ({
    method: 'GET',
    path: `/v1beta/${parseJob(context.jobId).operation}`,
  }),
  decode(received, context, request) {
    const { operation } = parseJob(context.jobId)
    const { error, ...body } = operationOf(received)
    const response = objectOf(objectOf(body['response'])['generateVideoResponse'])
    const uri = clipAddress(response)
    const state = stateOf(body['done'] === true, objectOf(error), { response, uri })
    const now = Math.floor(context.now() / 1000)
    return {
      reply: {
        id: request.id,
        object: 'video',
        model: context.publicModel,
        created_at: now,
        completed_at: state.status === 'completed' ? now : null,
        expires_at: null,
        seconds: '',
        size: '',
        prompt: null,
        remixed_from_video_id: null,
        ...state,
      },
      jobId: formatJob({ operation, clip: uri === undefined ? undefined : pathOf(uri) }),
    }
  },
}

/** A failed operation holds an error of its own, which is no failure of this request. */
function operationOf(received: Parameters<typeof bodyOf>[0]): Fields {
  const body = objectOf(received.json())
  return body['done'] === true ? body : bodyOf(received)
}

function stateOf(
  done: boolean,
  error: Fields,
  { response, uri }: { readonly response: Fields; readonly uri: string | undefined },
): VideoState {
  if (!done) return { status: 'in_progress', progress: 0, error: null }
  if (uri !== undefined)
    return { status: 'completed', progress: 100, error: null, metadata: { url: uri } }
  const filtered = listOf(response['raiMediaFilteredReasons']).map(String).join('; ')
  const isFiltered = filtered !== '' || response['raiMediaFilteredCount'] !== undefined
  return {
    status: 'failed',
    progress: 0,
    error: {
      code: isFiltered ? 'content_policy_violation' : codeOf(error),
      message: someText(error['message']) ?? (filtered || 'The model made no video'),
    },
  }
}

function codeOf(error: Fields): string {
  return (
    someText(error['status']) ?? (error['code'] === 3 ? 'invalid_request' : 'generation_failed')
  )
}

function clipAddress(response: Fields): string | undefined {
  const [sample] = listOf(response['generatedSamples'])
  return someText(objectOf(objectOf(sample)['video'])['uri'])
}

function pathOf(uri: string): string | undefined {
  const url = URL.parse(uri)
  return url === null ? undefined : url.pathname + url.search
}
