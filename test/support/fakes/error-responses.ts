import type { ServerResponse } from 'node:http'
import { noSuchAddress } from '../gateways/two-keys.ts'
import { type Answering, json, sse } from './fake-upstream.ts'
import { type UpstreamStream, upstreamStreams } from './upstream-streams.ts'

export type Family = UpstreamStream['type']
export const families: readonly Family[] = ['openai', 'anthropic', 'gemini']

/** An error in the format of each family, in a response or as an event. */
const errorBodies: Readonly<Record<Family, (message: string, status: number) => object>> = {
  openai: (message) => ({ error: { message, type: 'some_error', param: null, code: null } }),
  anthropic: (message) => ({ type: 'error', error: { type: 'api_error', message } }),
  gemini: (message, status) => ({ error: { code: status, message, status: 'UNKNOWN' } }),
}

const statusNames: Readonly<Record<number, string>> = { 503: 'UNAVAILABLE' }

function refuse(response: ServerResponse, body: object, status: number): void {
  // Longer than any route waits, so that there is no retry.
  json(response, body, { status, headers: { 'retry-after': '600' } })
}

/** Responds to every call with this status and message. */
export const refusing =
  (family: Family, status: number, message: string): Answering =>
  (seen, response) =>
    seen.path.endsWith('/responses')
      ? noSuchAddress(response)
      : refuse(response, errorBodies[family](message, status), status)

/** Starts a stream and ends it in an error with this message. */
export const failingStream = (
  family: Family,
  place: 'before the content' | 'after the content',
  message: string,
): Answering => {
  const { preamble, content } = upstreamStreams.find(({ type }) => type === family)!
  const error = JSON.stringify(errorBodies[family](message, 503)).replace(
    'UNKNOWN',
    statusNames[503]!,
  )
  const frame = `${family === 'anthropic' ? 'event: error\n' : ''}data: ${error}\n\n`
  return (seen, response) =>
    seen.path.endsWith('/responses')
      ? noSuchAddress(response)
      : sse(response, [...preamble, ...(place === 'after the content' ? content : []), frame])
}
