import type { Video } from '@sluice/contract'
import type { CodecContext } from './protocol.ts'

/** A video job of an upstream that reports no more of it than `given`. What nobody knows is empty or null. */
export function videoReply(
  given: Partial<Video> & Pick<Video, 'id' | 'status'>,
  { publicModel, now }: Pick<CodecContext, 'now' | 'publicModel'>,
): Video {
  const time = Math.floor(now() / 1000)
  const isCompleted = given.status === 'completed'
  return {
    object: 'video',
    model: publicModel,
    progress: isCompleted ? 100 : 0,
    created_at: time,
    completed_at: isCompleted ? time : null,
    expires_at: null,
    seconds: '',
    size: '',
    prompt: null,
    remixed_from_video_id: null,
    error: null,
    ...given,
  }
}
