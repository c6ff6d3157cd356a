import { objectOf, someText } from '@sluice/contract'
import { readFailure } from '../failure.ts'
import type { Protocol, Received, UpstreamFailure } from '../protocol.ts'
import { speak } from './speak.ts'
import { transcribe } from './transcribe.ts'

/** ElevenLabs' API (https://elevenlabs.io/docs/api-reference), relative to https://api.elevenlabs.io. */
export const elevenlabs: Protocol = {
  id: 'elevenlabs',
  codecs: { transcribe, speak },
  native: {},
  failure,
}

/** Reads `{detail: {status, message}}`, `{detail: "…"}` or FastAPI's list. */
function failure(received: Received): UpstreamFailure {
  const read = readFailure(received)
  try {
    const { status, message } = objectOf(objectOf(received.json())['detail'])
    const code = someText(status)
    return {
      message: someText(message) ?? read.message,
      ...(code === undefined ? {} : { code }),
    }
  } catch {
    return read
  }
}
