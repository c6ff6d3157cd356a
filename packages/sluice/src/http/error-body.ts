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
 * How an error is said: as its address does, else as the caller's other words tell what it speaks. Anthropic's clients
 * send their version with every request; Google's ask below /v1beta, or name their key as Google does.
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
