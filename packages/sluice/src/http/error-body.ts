import { formats } from '@sluice/protocols'
import type { FastifyRequest } from 'fastify'
import type { ErrorBody } from './address.ts'

const plainError: ErrorBody = (error) => error.toJSON()

const bodyOf = (id: string): ErrorBody => {
  const format = formats.find((each) => each.id === id)
  return format ? (error, requestId) => format.error(error, requestId) : plainError
}

const anthropicError = bodyOf('messages')
const geminiError = bodyOf('generateContent')

/**
 * The error format of a request: that of its endpoint, otherwise the one suggested by the path and headers. Anthropic's
 * clients send their version with every request; Google's use /v1beta or Google's key header.
 */
export function errorBodyOf(
  { url, headers }: Pick<FastifyRequest, 'url' | 'headers'>,
  own?: ErrorBody,
): ErrorBody {
  if (own) return own
  if (url.startsWith('/v1beta/openai/')) return plainError
  if (headers['anthropic-version'] !== undefined || url.startsWith('/v1/messages'))
    return anthropicError
  if (url.startsWith('/v1beta') || headers['x-goog-api-key'] !== undefined) return geminiError
  return plainError
}
