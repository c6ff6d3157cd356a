// While the gateway translates, explains or computes a costly request, it answers the others.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { costlyRequests } from '../../corpus/costly-requests.ts'
import type { Upstream } from '../../corpus/large-answers.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import {
  type LargeAnswerGateway,
  largeAnswerGateway,
} from '../../support/gateways/large-answer-gateway.ts'
import { waitMaxMs } from '../../support/measures/wait-limit.ts'

let gateway: LargeAnswerGateway
beforeAll(async () => {
  gateway = await largeAnswerGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const answers: Partial<Record<Upstream, object>> = {
  openai: chatReply('Hello'),
  gemini: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }],
  },
  'amazon-bedrock': {
    output: { message: { role: 'assistant', content: [{ text: 'Hello' }] } },
    stopReason: 'end_turn',
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  },
  anthropic: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
}

// Others use the machine too: what holds up the gateway itself does so every time.
test.each(costlyRequests)('$name: $status', { retry: 3 }, async ({ body, status, ...one }) => {
  const answer = () => JSON.stringify(answers[one.up] ?? {})
  const { waitMs, came, ...answered } = await gateway.take({ ...one, body: body(), answer })
  expect([
    answered.status,
    answered.status === status ? '' : came.toString('utf8', 0, 300),
  ]).toEqual([status, ''])
  expect(waitMs).toBeLessThan(waitMaxMs(gateway.idleMs))
})
