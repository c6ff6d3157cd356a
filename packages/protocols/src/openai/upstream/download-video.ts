import { GatewayError } from '@sluice/contract'
import type { Codec } from '../../protocol.ts'
import { jobIn } from './get-video.ts'
import { type PathOf, usualPath } from './options.ts'

/** The finished video or an image of it (https://platform.openai.com/docs/api-reference/videos/content). */
export function openaiDownloadVideo({
  path = usualPath,
}: {
  readonly path?: PathOf
} = {}): Codec<'downloadVideo'> {
  return {
    encode({ variant }, context) {
      const query = variant == null ? '' : `?variant=${variant}`
      return { method: 'GET', path: path(`/videos/${jobIn(context)}/content${query}`, context) }
    },
    decode() {
      throw new GatewayError(
        'upstream_garbled',
        'The upstream answered with JSON instead of a video',
      )
    },
    bytes: true,
  }
}
