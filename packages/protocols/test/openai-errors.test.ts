import { describe, expect, it } from 'vitest'
import { codecContext, received } from '../../../test/support/codec-context.ts'
import { answerOf } from '../../../test/support/formats/chat-answer.ts'
import { readStream } from '../../../test/support/formats/read-stream.ts'
import { caught } from '../../../test/support/thrown-error.ts'
import { GatewayError } from '../../contract/src/core/errors.ts'
import type { ChatRequest } from '../../contract/src/operations/chat-request.ts'
import { openaiChat } from '../src/openai/upstream/chat.ts'

const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'x' }] }
const chat = openaiChat()

function chunk(delta: object, rest: object = {}, index: number | undefined = 0) {
  return {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 5,
    model: 'm',
    choices: [{ index, delta, ...rest }],
  }
}

function read(chunks: readonly (object | string)[], asked = request) {
  const events = chunks.map((data) => ({
    event: '',
    data: typeof data === 'string' ? data : JSON.stringify(data),
  }))
  return readStream(chat.stream!, { events, context: codecContext(), request: asked })
}

describe('errors inside an answer with status 200', () => {
  it.each<[string, object, object]>([
    [
      'OpenAI’s',
      { error: { message: 'm', type: 'server_error', code: null } },
      { code: 'upstream_unavailable', upstreamCode: 'server_error' },
    ],
    [
      'a rate limit',
      { error: { message: 'm', type: 'tokens', code: 'rate_limit_exceeded' } },
      { code: 'upstream_rate_limited', upstreamCode: 'rate_limit_exceeded' },
    ],
    [
      'a numeric code',
      { error: { message: 'm', code: 429 } },
      { code: 'upstream_rate_limited', upstreamCode: '429' },
    ],
    [
      'a client that is gone, which is the gateway',
      { error: { message: 'm', code: 499 } },
      { code: 'upstream_unavailable', upstreamCode: '499' },
    ],
    [
      'a refused key',
      { error: { message: 'm', code: 'invalid_api_key' } },
      { code: 'upstream_refused_us', upstreamCode: 'invalid_api_key' },
    ],
    [
      'a bad request',
      {
        error: {
          message: 'm',
          type: 'invalid_request_error',
          param: 'messages',
          code: 'context_length_exceeded',
        },
      },
      {
        code: 'upstream_rejected',
        upstreamCode: 'context_length_exceeded',
        publicCode: 'context_length_exceeded',
        param: 'messages',
      },
    ],
    ['text alone', { error: 'm' }, { code: 'upstream_unavailable' }],
    [
      'vLLM’s',
      { object: 'error', message: 'm', type: 'BadRequestError', code: 400 },
      { code: 'upstream_rejected', upstreamCode: 'BadRequestError' },
    ],
    [
      'DashScope’s',
      { code: 'Throttling.RateQuota', message: 'm', request_id: 'r' },
      { code: 'upstream_rate_limited', upstreamCode: 'Throttling.RateQuota' },
    ],
  ])('%s', (_name, body, told) => {
    const flat = (error: GatewayError) => ({
      code: error.code,
      ...error.details,
      message: error.message,
    })
    const streamed = read([chunk({ content: 'a' }), body])
    expect(flat(streamed.error!)).toMatchObject({ ...told, message: 'm' })
    expect(streamed.verdicts).toEqual(['content'])
    const whole = caught(() => chat.decode(received(JSON.stringify(body)), codecContext(), request))
    expect(flat(whole)).toMatchObject({ ...told, message: 'm' })
  })

  it('are also events named error with plain text', () => {
    const watcher = chat.stream!.watcher()
    const verdict = watcher.see({ event: 'error', data: 'upstream died' })
    expect(verdict).toBeInstanceOf(GatewayError)
    expect((verdict as GatewayError).message).toBe('upstream died')
  })

  it.each(['error', 'insufficient_system_resource'])('are also the finish reason %s', (reason) => {
    const { error } = read([chunk({ content: 'a' }), chunk({}, { finish_reason: reason })])
    expect(error?.code).toBe('upstream_unavailable')
    expect(error?.details.upstreamCode).toBe(reason)
  })

  it('are distinguished from garbage', () => {
    const { verdicts, steps } = read(['{"id":', chunk({ content: 'a' }), '[1]', '"text"'])
    expect(verdicts).toEqual(['garbage', 'content', 'garbage', 'garbage'])
    expect(answerOf(steps).text).toBe('a')
  })
})
