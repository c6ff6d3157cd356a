// A field that nobody knows, anywhere in a request, reaches the upstream, is named as dropped, or refuses the request by its name.
import { GatewayError, type Operation, operations, validate } from '@sluice/contract'
import { describe, expect, it } from 'vitest'
import { codecContext, formatContext } from '../../../../test/support/codec-context.ts'
import {
  isOwnText,
  markerOf,
  namesField,
  unknownFieldsOf,
  withUnknown,
} from '../../../../test/support/generated/unknown-fields.ts'
import { wholeRequests } from '../../../../test/support/generated/whole-requests.ts'
import { formats } from '../../src/formats.ts'
import { openaiServer } from '../../src/openai/index.ts'
import type { Codec } from '../../src/protocol.ts'
import { protocols } from '../../src/protocols.ts'

const codecs = [...protocols, { ...openaiServer, id: 'a server of one’s own' }].flatMap(
  ({ id, codecs: own }) => (own.chat === undefined ? [] : [[id, own.chat] as const]),
)

/** What becomes of a request: what is sent, and the paths that are named. */
function outcomeOf(format: string, request: unknown, codec: Codec<'chat'>) {
  const client = formats.find(({ id }) => id === format)!
  const named: string[] = []
  const note = (param: string): void => void named.push(param)
  const noteCanonical = (param: string): void => note(client.paramOf?.(param, request) ?? '')
  try {
    validate(client.request, request)
    client.check?.(request)
    const canonical = client.toCanonical(
      request,
      formatContext({ unsupported: note, leftOut: note }),
    )
    const { request: schema }: Operation = operations.chat
    const chat = client.isOwn === true ? canonical : validate(schema, canonical)
    const sent = codec.encode(
      // The schemas have checked it.
      chat as never,
      codecContext({
        unsupported: noteCanonical,
        leftOut: noteCanonical,
        settings: { project: 'p' },
      }),
    )
    return { sent: JSON.stringify(sent), named }
  } catch (thrown) {
    const { param } = GatewayError.from(thrown).details
    if (param?.includes('zzunknown') !== true) throw thrown
    return { sent: '', named: [param] }
  }
}

describe.each(Object.entries(wholeRequests))('a %s request', (format, given) => {
  it.each(codecs)('loses nothing silently on its way to %s', (_, codec) => {
    const lost: string[] = []
    for (const request of given)
      for (const field of unknownFieldsOf(request)) {
        if (isOwnText(field)) continue
        const { sent, named } = outcomeOf(format, withUnknown(request, [field]), codec)
        const isNamed = named.some((path) => namesField(path, field))
        if (!sent.includes(markerOf(field)) && !isNamed) lost.push(field.place)
      }
    expect(lost).toEqual([])
  })
})

const beta = 'zzbeta-2030-01-01'

describe('a beta that nobody knows', () => {
  it.each(codecs)('is sent or named by the codec of %s', (_, codec) => {
    const named: string[] = []
    const note = (param: string): void => void named.push(param)
    const context = codecContext({
      headers: { 'anthropic-beta': `${beta},context-1m-2025-08-07` },
      leftOut: note,
      unsupported: note,
      settings: { project: 'p' },
    })
    const sent = codec.encode({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }, context)
    expect(JSON.stringify(sent).includes(beta)).toBe(!named.includes('anthropic-beta'))
  })

  const natives = protocols.flatMap(({ id, native }) =>
    Object.entries(native)
      .filter(([format]) => format.startsWith('messages'))
      .map(([format, one]) => [`${format} to ${id}`, one] as const),
  )

  it.each(natives)('is sent or named in %s', (_, native) => {
    const named: string[] = []
    const given = { 'anthropic-beta': `${beta},context-1m-2025-08-07` }
    expect(native.headers).toContain('anthropic-beta')
    const headers = native.fitHeaders?.(given, {}, (name) => named.push(name)) ?? given
    const sent = native.request({
      body: Buffer.from('{}'),
      model: 'm',
      stream: false,
      headers,
      query: '',
      settings: { project: 'p' },
    })
    expect(JSON.stringify(sent.headers).includes(beta)).toBe(!named.includes('anthropic-beta'))
    expect(JSON.stringify(sent.headers)).toContain('context-1m-2025-08-07')
  })
})
