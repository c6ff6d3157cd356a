import { GatewayError } from '@sluice/contract'
import type { Codec, Decoded } from '../../protocol.ts'
import { parseJob } from './video.ts'

/** The finished clip, from Google's file store with the same credential; its bytes pass as they come. */
export const geminiDownloadVideo: Codec<'downloadVideo'> = {
  encode(request, context) {
    if (request.variant != null && request.variant !== 'video') context.unsupported('variant')
    const { clip } = parseJob(context.jobId)
    if (clip === undefined) throw new GatewayError('conflict', 'The video is not finished yet')
    return { method: 'GET', path: clip }
  },
  decode(): Decoded<'downloadVideo'> {
    throw new GatewayError('internal', 'A video has no JSON form')
  },
  bytes: true,
}
