import { GatewayError, objectOf } from '@sluice/contract'
import type { Codec } from '../../protocol.ts'
import { parseJob, type VeoPlace } from './video.ts'

/** The finished video, from Google's file store with the same credential. Its bytes are forwarded as they arrive. */
export const veoDownloadVideo = (place: VeoPlace): Codec<'downloadVideo'> => ({
  encode(request, context) {
    if (request.variant != null && request.variant !== 'video') context.unsupported('variant')
    return place.download(parseJob(context.jobId), context.settings)
  },
  decode(received) {
    const rendered = place.clipIn?.(objectOf(received.json()))
    if (!rendered)
      throw new GatewayError(
        'upstream_garbled',
        'The upstream answered with JSON instead of a video',
      )
    // A video has no other form: if `rendered` is set, nothing reads the reply.
    return { reply: undefined as never, rendered }
  },
  bytes: true,
})
