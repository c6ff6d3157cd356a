import type { Protocol } from '../protocol.ts'
import { failure } from './failure.ts'
import { speak } from './speak.ts'
import { transcribe } from './transcribe.ts'

/** ElevenLabs' API (https://elevenlabs.io/docs/api-reference), relative to https://api.elevenlabs.io. */
export const elevenlabs: Protocol = {
  id: 'elevenlabs',
  codecs: { transcribe, speak },
  native: {},
  failure,
}
