import { type Fields, listOf, objectOf, someText, type Video } from '@sluice/contract'
import type { Codec } from '../../protocol.ts'
import { videoReply } from '../../video-reply.ts'
import { bodyOf } from './failure.ts'
import { formatJob, parseJob, type VeoPlace } from './video.ts'

type VideoState = Pick<Video, 'status' | 'error' | 'metadata'>

/**
 * A Veo operation (https://ai.google.dev/api/operations). It reports neither its progress nor its parameters: the gateway
 * itself must store length, size and prompt. Once the video exists, the job contains its address.
 */
export const veoGetVideo = (place: VeoPlace): Codec<'getVideo'> => ({
  encode: (_request, context) => place.poll(parseJob(context.jobId).operation, context.settings),
  decode(received, context, request) {
    const { operation } = parseJob(context.jobId)
    const { error, ...body } = operationOf(received)
    const response = place.responseIn(body)
    const made = place.madeIn(response)
    const state = stateOf(body['done'] === true, objectOf(error), { response, made })
    return {
      reply: videoReply({ id: request.id, ...state }, context),
      jobId: formatJob({ operation, clip: made?.clip }),
    }
  },
})

/** A failed operation contains an error of its own, which is not a failure of this request. */
function operationOf(received: Parameters<typeof bodyOf>[0]): Fields {
  const body = objectOf(received.json())
  return body['done'] === true ? body : bodyOf(received)
}

function stateOf(
  done: boolean,
  error: Fields,
  { response, made }: { readonly response: Fields; readonly made: ReturnType<VeoPlace['madeIn']> },
): VideoState {
  if (!done) return { status: 'in_progress', error: null }
  if (made) return { status: 'completed', error: null, metadata: { url: made.uri ?? null } }
  const filtered = listOf(response['raiMediaFilteredReasons']).map(String).join('; ')
  const isFiltered = filtered !== '' || response['raiMediaFilteredCount'] !== undefined
  return {
    status: 'failed',
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
