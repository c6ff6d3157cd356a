import type { Protocol } from '../protocol.ts'
import { failure } from './failure.ts'
import { speak } from './speak.ts'
import { transcribe } from './transcribe.ts'

/** Deepgram's API (https://developers.deepgram.com/reference), relative to https://api.deepgram.com. */
export const deepgram: Protocol = {
  id: 'deepgram',
  codecs: { transcribe, speak },
  native: {},
  failure,
}
