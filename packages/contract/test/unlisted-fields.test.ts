import { describe, expect, it } from 'vitest'
import { operations } from '../src/operations/index.ts'
import { unlistedFields as unlisted } from '../src/operations/unlisted-fields.ts'

const chat = operations.chat.request
const file = { filename: 'a.wav', contentType: 'audio/wav', bytes: new Uint8Array(1) }
const said = { role: 'user', content: 'hi' }

const unlistedFields = (schema: object, value: unknown) =>
  unlisted(schema, value).map(({ path }) => path)

describe('unlistedFields', () => {
  it('names fields that a schema does not list by their paths', () => {
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

  it('names a field called like a property of Object.prototype', () => {
    expect(unlistedFields(chat, { model: 'm', messages: [said], constructor: 1 })).toEqual([
      'constructor',
    ])
  })

  it('ignores null and empty values', () => {
    const messages = [{ ...said, annotations: [], extra: {} }]
    expect(unlistedFields(chat, { model: 'm', messages, min_p: null })).toEqual([])
  })

  it('ignores objects that may have any fields', () => {
    const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', x: 1 } } }
    const request = { model: 'm', messages: [said], metadata: { a: 'b' }, tools: [tool] }
    expect(unlistedFields(chat, request)).toEqual([])
    expect(unlistedFields(operations.rerank.request, { documents: [{ text: 'a', x: 1 }] })).toEqual(
      [],
    )
  })

  it('does not look into an upload', () => {
    expect(unlistedFields(operations.transcribe.request, { file, model: 'm', tone: 1 })).toEqual([
      'tone',
    ])
  })
})
