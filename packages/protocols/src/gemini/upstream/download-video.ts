import { GatewayError, objectOf } from '@sluice/contract'
import type { Codec } from '../../protocol.ts'
import { parseJob, type VeoPlace } from './video.ts'

/** The finished clip, from Google's file store with the same credential; its bytes pass as they come. */
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
    // A clip has no other form: where there is `rendered` nobody looks at the reply.
    return { reply: undefined as never, rendered }
  },
  bytes: true,
})
