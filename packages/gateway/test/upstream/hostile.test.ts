// Responses that cannot be read, or could be read in two ways, are no responses: nothing of them reaches a caller, and nothing of one is
// taken for the next.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  hostileResponses,
  toleratedResponses,
} from '../../../../test/support/fakes/hostile-responses.ts'
import { type Stage, setStage } from './upstream-and-sender.ts'

let stage: Stage
beforeEach(() => {
  stage = setStage()
})
afterEach(() => stage[Symbol.asyncDispose]())

describe('a hostile response with', () => {
  test.each(hostileResponses)(
    '%s fails its request and closes the connection',
    async (name, text) => {
      const upstream = await stage.openRawUpstream((socket) => {
        socket.end(Buffer.from(text, 'latin1'))
      })
      const answer = await stage.openSending()(upstream.url)
      const expected = toleratedResponses.has(name) ? /^200 $/ : /^upstream_(?:unavailable|cut)$/
      expect(answer).toMatch(expected)
      expect({}).not.toHaveProperty('x')
      await expect.poll(() => upstream.open()).toBe(0)
    },
  )

  test.each(hostileResponses)('%s cannot inject a second response', async (_, text) => {
    let count = 0
    const upstream = await stage.openRawUpstream((socket) => {
      count += 1
      const whole = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nright'
      if (count > 1) return void socket.write(whole)
      socket.write(
        Buffer.from(`${text}HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nwrong`, 'latin1'),
      )
      setTimeout(() => socket.end(), 50)
    })
    const send = stage.openSending()
    await send(upstream.url)
    for (let n = 0; n < 3; n += 1) expect(await send(upstream.url)).toBe('200 right')
  })
})
