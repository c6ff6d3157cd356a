import { objectOf, someText } from '@sluice/contract'
import { readFailure } from '../failure.ts'
import type { Protocol, Received, UpstreamFailure } from '../protocol.ts'
import { failureBody } from '../read-json.ts'
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
  const { status, message } = objectOf(objectOf(failureBody(received))['detail'])
  const code = someText(status)
  return {
    message: someText(message) ?? readFailure(received).message,
    ...(code === undefined ? {} : { code }),
  }
}
