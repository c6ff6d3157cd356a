import { GatewayError } from '@sluice/contract'
import { withoutFields } from '../../decisions.ts'
import { withoutNull } from '../../neutral-values.ts'
import type { Codec } from '../../protocol.ts'
import { createTypedEventReader, createTypedEventWatcher } from './typed-events.ts'

export interface SpeakOptions {
  /** Request fields that the upstream does not support. */
  readonly lacks?: readonly string[]
}

/** Speech (https://platform.openai.com/docs/api-reference/audio/createSpeech): audio as bytes, or as events. */
export function openaiSpeak({ lacks = [] }: SpeakOptions = {}): Codec<'speak'> {
  return {
    encode(request, context) {
      const body = withoutFields({ ...withoutNull(request), model: context.model }, lacks, context)
      return {
        method: 'POST',
        path: '/audio/speech',
        body: { kind: 'json', value: body },
      }
    },
    decode() {
      throw new GatewayError('upstream_garbled', 'The upstream answered with JSON instead of sound')
    },
    bytes: true,
    stream: { reader: createTypedEventReader, watcher: createTypedEventWatcher },
  }
}
