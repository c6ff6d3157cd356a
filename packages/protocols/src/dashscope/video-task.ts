import { type Fields, objectOf, someText, type Video } from '@sluice/contract'
import type { CodecContext } from '../protocol.ts'
import { videoReply } from '../video-reply.ts'

/** A task and, once it has finished, the address of its video. Both are kept in one text as the id of the upstream job. */
interface VideoTask {
  readonly taskId: string
  readonly clip?: string | undefined
}

export function formatTask({ taskId, clip }: VideoTask): string {
  return clip === undefined ? taskId : `${taskId} ${clip}`
}

export function parseTask(text = ''): VideoTask {
  const [taskId = '', clip] = text.split(' ', 2)
  return { taskId, clip }
}

/** TaskStatus of Model Studio's asynchronous tasks. UNKNOWN means that the task has expired or never existed. */
const statuses: Readonly<Record<string, Video['status']>> = {
  PENDING: 'queued',
  RUNNING: 'in_progress',
  SUSPENDED: 'in_progress',
  SUCCEEDED: 'completed',
  FAILED: 'failed',
  CANCELED: 'failed',
  UNKNOWN: 'failed',
}

/** The canonical job from the `output` of a response. `given` holds what the gateway knows itself and takes precedence. */
export function videoOf(
  output: Fields,
  given: Partial<Video> & { readonly id: string },
  context: CodecContext,
): Video {
  const word = someText(output['task_status']) ?? ''
  const status = statuses[word] ?? 'in_progress'
  const url = someText(output['video_url'])
  const video = {
    status,
    prompt: someText(output['orig_prompt']) ?? null,
    error: status === 'failed' ? errorOf(output, word) : null,
    ...(url === undefined ? {} : { metadata: { url } }),
    ...given,
  }
  return videoReply(video, context)
}

function errorOf(output: Fields, word: string): { code: string; message: string } {
  const fields = objectOf(output)
  return {
    code: someText(fields['code']) ?? 'video_generation_failed',
    message: someText(fields['message']) ?? `The task is ${word.toLowerCase()}`,
  }
}
