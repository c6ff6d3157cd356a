import { describe, expect, it } from 'vitest'
import { operations } from '../src/operations/index.ts'
import { unlistedFields as unlisted } from '../src/operations/unlisted-fields.ts'

const chat = operations.chat.request
const file = { filename: 'a.wav', contentType: 'audio/wav', bytes: new Uint8Array(1) }
const said = { role: 'user', content: 'hi' }

const unlistedFields = (schema: object, value: unknown) =>
  unlisted(schema, value).map(({ path }) => path)

describe('unlistedFields', () => {
  it('names what a schema lists nowhere, by its path', () => {
    const messages = [
      { ...said, tone: 'kind' },
      { role: 'user', content: [{ type: 'text', text: 'a', lang: 'en' }] },
    ]
    expect(unlistedFields(chat, { model: 'm', messages, min_p: 0.1 })).toEqual([
      'messages[0].tone',
      'messages[1].content[0].lang',
      'min_p',
    ])
  })

  it('names a key that objects inherit', () => {
    expect(unlistedFields(chat, { model: 'm', messages: [said], constructor: 1 })).toEqual([
      'constructor',
    ])
  })

  it('passes over what says nothing', () => {
    const messages = [{ ...said, annotations: [], extra: {} }]
    expect(unlistedFields(chat, { model: 'm', messages, min_p: null })).toEqual([])
  })

  it('leaves alone what may hold any keys', () => {
    const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', x: 1 } } }
    const request = { model: 'm', messages: [said], metadata: { a: 'b' }, tools: [tool] }
    expect(unlistedFields(chat, request)).toEqual([])
    expect(unlistedFields(operations.rerank.request, { documents: [{ text: 'a', x: 1 }] })).toEqual(
      [],
    )
  })

  it('does not take an upload apart', () => {
    expect(unlistedFields(operations.transcribe.request, { file, model: 'm', tone: 1 })).toEqual([
      'tone',
    ])
  })
})
