import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../../../../test/support/property-limits.ts'
import { formats } from '../../../protocols/src/formats.ts'
import { maskText } from '../../src/telemetry/masking.ts'
import { maskBody } from '../../src/telemetry/masked-content.ts'

const privateKey = `-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----`

describe('masking replaces', () => {
  test.each([
    ['a key of OpenAI', 'sk-proj-abcdefghijklmnop1234', '[API KEY]'],
    ['a key of Anthropic', 'sk-ant-api03-abcdefghijklmnop', '[API KEY]'],
    ['a key of AWS', 'AKIAIOSFODNN7EXAMPLE', '[API KEY]'],
    ['a key of Google', 'AIzaSyA1234567890abcdefghijklmnopqrstu', '[API KEY]'],
    ['a token of GitHub', 'ghp_abcdefghijklmnopqrstuvwxyz0123', '[API KEY]'],
    ['a token of Slack', ['xoxb', '123456789012', 'abcdefghijkl'].join('-'), '[API KEY]'],
    ['a JSON Web Token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF_123', '[TOKEN]'],
    ['a private key', privateKey, '[PRIVATE KEY]'],
    ['a private key without its end', privateKey.slice(0, 50), '[PRIVATE KEY]'],
    ['a bearer token', 'Bearer abcdefghijklmnop.qrst', 'Bearer [TOKEN]'],
    ['a password in a URL', 'postgres://user:s3cret@host/db', 'postgres://user:[PASSWORD]@host/db'],
    ['a password after its name', 'password: hunter2!x', 'password: [SECRET]'],
    ['an email address', 'jane.doe+tag@mail.example.co.uk', '[EMAIL]'],
    ['an email address beyond ASCII', 'jürgen@müller.example', '[EMAIL]'],
    ['a phone number', '+49 30 901820', '[PHONE]'],
    ['a phone number in another notation', '+1 (212) 555-0123', '[PHONE]'],
    ['a card number', '4111 1111 1111 1111', '[CARD NUMBER]'],
    ['a card number of 13 digits', '4222222222222', '[CARD NUMBER]'],
    ['a card number of 15 digits', '3782-822463-10005', '[CARD NUMBER]'],
    ['a card number of 19 digits', '6304000000000000000', '[CARD NUMBER]'],
    ['a card number of 19 digits in groups', '6304 0000 0000 0000 000', '[CARD NUMBER]'],
    ['an IBAN', 'DE89 3704 0044 0532 0130 00', '[IBAN]'],
    ['an IBAN without spaces', 'GB82WEST12345698765432', '[IBAN]'],
  ])('%s', (_what, secret, shown) => {
    const { text, count } = maskText(`before ${secret} after`)
    expect(text).toContain(`before ${shown}`)
    expect(count).toBeGreaterThan(0)
    expect(text).not.toContain(secret)
  })

  test.each([
    ['a number that fails Luhn’s formula', 'order 4111 1111 1111 1112'],
    ['an IBAN with wrong check digits', 'DE88 3704 0044 0532 0130 00'],
    ['a short number', 'room 12345678'],
    ['a number of 12 digits that passes Luhn’s formula', 'order 424242424242'],
    ['a number of 20 digits that passes Luhn’s formula', 'order 42424242424242424242'],
    ['code', 'for (const key of keys) sort(key)'],
    ['a version', 'version 1.2.3-beta.4 of 2026-11-22'],
    ['an id', 'chatcmpl-abc123 and req_0123456789abcdef'],
  ])('nothing in %s', (_what, text) => {
    expect(maskText(text)).toEqual({ text, count: 0 })
  })
})

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))
const whole = { isCut: false, isStream: false }

/** How a client format's content is masked. */
const masking = (format: string, charactersMax = 10_000) => {
  const { textsOf = 'none' } = formats.find(({ id }) => id === format) ?? {}
  return { charactersMax, textsOf }
}

test('masks every text of a JSON document despite escapes, and keeps it valid JSON', () => {
  const raw = `{"a":{"jane\\u0040mail.example":["4111111111111111",4111111111111111,1.5,null,true]}}`
  const { text, masked } = maskBody({ ...whole, bytes: Buffer.from(raw) }, masking('chat'))
  expect(JSON.parse(text)).toEqual({
    a: { '[EMAIL]': ['[CARD NUMBER]', '[CARD NUMBER]', 1.5, null, true] },
  })
  expect(masked).toBe(3)
})

test('masks a secret that is split over stream events', () => {
  const pieces = ['write to ja', 'ne@ma', 'il.exam', 'ple now']
  const events = pieces.map(
    (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`,
  )
  const bytes = Buffer.from(`${events.join('')}data: [DONE]\n\n`)
  const { text } = maskBody({ bytes, isCut: false, isStream: true }, masking('chat'))
  expect(Object.values(JSON.parse(text))).toEqual(['write to [EMAIL] now'])
})

test('joins the text of each choice and block separately', () => {
  const event = (index: number, text: string) =>
    `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } })}\n\n`
  const bytes = Buffer.from(
    event(0, 'one ') + event(1, 'two ') + event(0, 'three') + event(1, 'four'),
  )
  const { text } = maskBody({ bytes, isCut: false, isStream: true }, masking('messages'))
  expect(Object.values(JSON.parse(text))).toEqual(['one three', 'two four'])
})

test('uses the last event of a Responses stream as the whole answer', () => {
  const response = { id: 'resp_1', output: [{ content: [{ text: 'all of it' }] }] }
  const events = [
    { type: 'response.output_text.delta', delta: 'all ' },
    { type: 'response.completed', response },
  ]
  const bytes = Buffer.from(events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''))
  const { text } = maskBody({ bytes, isCut: false, isStream: true }, masking('responses'))
  expect(JSON.parse(text)).toEqual(response)
})

test('masks before it truncates long content', () => {
  const { text, isCut } = maskBody(
    { ...whole, bytes: bytesOf({ a: 'x'.repeat(500) }) },
    masking('chat', 100),
  )
  expect([text.length, isCut]).toEqual([100, true])
})

test('property: a body truncated anywhere contains no part of a known secret', () => {
  const secret = 'jane.doe@mail.example'
  fc.assert(
    fc.property(fc.nat(400), fc.nat(400), (before, after) => {
      const raw = bytesOf({ content: `${'a '.repeat(before)}${secret}${' b'.repeat(after)}` })
      for (let cut = 20; cut < raw.length; cut += 7) {
        const { text } = maskBody(
          { bytes: raw.subarray(0, cut), isCut: true, isStream: false },
          masking('chat', 1e6),
        )
        expect(text).not.toContain('jane')
      }
    }),
    { numRuns: 20 },
  )
})

test('masking is linear in the length of the text', () => {
  const nasty = [
    '1 '.repeat(50_000),
    'a@'.repeat(50_000),
    `${'a.'.repeat(50_000)}@`,
    'DE12 '.repeat(20_000),
    '+1 '.repeat(5_000),
  ]
  for (const text of nasty) {
    const begun = performance.now()
    maskText(text)
    expect(performance.now() - begun, text.slice(0, 10)).toBeLessThan(5_000)
  }
})
