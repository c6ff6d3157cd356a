// While the gateway reads, translates and writes a large answer, it answers other callers.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { largeAnswers } from '../../corpus/large-answers.ts'
import { largeCalls } from '../../corpus/large-calls.ts'
import { longLists } from '../../corpus/long-lists.ts'
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

// Others use the machine too: what holds up the gateway itself does so every time.
test.each([...largeAnswers, ...largeCalls, ...longLists])(
  '$name',
  { retry: 3 },
  async ({ status, isPassed, bytesMin = 0, ...one }) => {
    const { waitMs, sent, came, ...answered } = await gateway.take(one)
    expect(answered.status).toBe(status)
    if (isPassed === true) expect(came.equals(sent)).toBe(true)
    expect(came.length).toBeGreaterThan(bytesMin)
    expect(came.includes('\u{fffd}')).toBe(false)
    expect(waitMs).toBeLessThan(waitMaxMs(gateway.idleMs, sent.length))
  },
)
