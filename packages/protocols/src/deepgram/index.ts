import { objectOf, someText } from '@sluice/contract'
import type { Protocol, Received, UpstreamFailure } from '../protocol.ts'
import { failureBody } from '../read-json.ts'
import { speak } from './speak.ts'
import { transcribe } from './transcribe.ts'

/** Deepgram's API (https://developers.deepgram.com/reference), relative to https://api.deepgram.com. */
export const deepgram: Protocol = {
  id: 'deepgram',
  codecs: { transcribe, speak },
  native: {},
  failure,
}

/** Reads `{err_code, err_msg, request_id}` or `{category, message, details}`. */
function failure(received: Received): UpstreamFailure {
  const body = objectOf(failureBody(received))
  const message = someText(body['err_msg']) ?? someText(body['message'])
  const code = someText(body['err_code']) ?? someText(body['category'])
  if (message === undefined) return { message: `Deepgram answered with status ${received.status}` }
  return { message, ...(code === undefined ? {} : { code }) }
}
