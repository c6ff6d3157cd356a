import { objectOf, someText } from '@sluice/contract'
import type { Codec } from '../protocol.ts'
import { bodyOf } from './failure.ts'
import { formatTask, parseTask, videoOf } from './video-task.ts'

/** Fetches a task of the last day by its id. */
export const getVideo: Codec<'getVideo'> = {
  encode: (_request, context) => ({
    method: 'GET',
    path: `/api/v1/tasks/${encodeURIComponent(parseTask(context.jobId).taskId)}`,
  }),
  decode(received, context, request) {
    const body = bodyOf(received)
    const output = objectOf(body['output'])
    const { video_duration: length } = objectOf(body['usage'])
    const seconds = typeof length === 'number' ? { seconds: String(length) } : {}
    const { taskId } = parseTask(context.jobId)
    const clip = someText(output['video_url'])
    return {
      reply: videoOf(output, { id: request.id, ...seconds }, context),
      jobId: formatTask({ taskId, clip }),
      ...(typeof length === 'number'
        ? { usage: { inputTokens: 0, outputTokens: 0, seconds: length } }
        : {}),
    }
  },
}
