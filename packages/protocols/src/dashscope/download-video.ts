import { GatewayError } from '@sluice/contract'
import type { Codec } from '../protocol.ts'
import { parseTask } from './video-task.ts'

/** The finished video is available for a day at a signed address in object storage. */
export const downloadVideo: Codec<'downloadVideo'> = {
  encode(request, context) {
    if (request.variant != null && request.variant !== 'video') context.unsupported('variant')
    const { clip } = parseTask(context.jobId)
    if (clip === undefined) throw new GatewayError('conflict', 'The video is not finished yet')
    if (!clip.startsWith('https:') && !clip.startsWith('http:'))
      throw new GatewayError('upstream_garbled', 'DashScope put the video at no web address')
    return { method: 'GET', path: '', elsewhere: clip.replace(/^http:/, 'https:') }
  },
  decode() {
    throw new GatewayError('upstream_garbled', 'The store answered with JSON instead of a video')
  },
  bytes: true,
}
