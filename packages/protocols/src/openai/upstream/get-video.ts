import { GatewayError } from '@sluice/contract'
import type { Codec, CodecContext } from '../../protocol.ts'
import { type PathOf, usualPath } from './options.ts'
import { decodeVideo } from './video.ts'

/** The status of a video job (https://platform.openai.com/docs/api-reference/videos/retrieve). */
export function openaiGetVideo({
  path = usualPath,
}: {
  readonly path?: PathOf
} = {}): Codec<'getVideo'> {
  return {
    encode: (_request, context) => ({
      method: 'GET',
      path: path(`/videos/${jobIn(context)}`, context),
    }),
    decode: decodeVideo,
  }
}

/** The upstream's id of the job, escaped for a path. */
export function jobIn({ jobId }: CodecContext): string {
  if (jobId === undefined) throw new GatewayError('not_found', 'There is no such video task')
  return encodeURIComponent(jobId)
}
