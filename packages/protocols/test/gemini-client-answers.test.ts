import { describe, expect, test } from 'vitest'
import { passes } from '../../../test/support/passes.ts'
import { formatContext } from '../../../test/support/codec-context.ts'
import {
  answer,
  candidateOf,
  canonical,
  config,
  hello,
} from '../../../test/support/formats/gemini-client.ts'
import { GatewayError } from '../../contract/src/core/errors.ts'
import { type ChatChunk, chat } from '../../contract/src/operations/chat.ts'
import type { Step } from '../../contract/src/operations/operation.ts'
import { validate } from '../../contract/src/operations/validate.ts'
import { streamGenerateContent } from '../src/gemini/client/formats.ts'
import { gemini } from '../src/gemini/index.ts'
import { restoreBlocks } from '../src/gemini/signatures.ts'

describe('reasoning of other providers', () => {
  const blocks = [
    { type: 'thinking', thinking: 'Hm — 世', signature: 'abc' },
    { type: 'reasoning', id: 'rs_1', summary: ['s'], encrypted_content: 'xyz' },
  ]
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }

  test('is carried on the first call and restored from it', () => {
    const { content } = candidateOf(
      answer(
        {
          reasoning_content: 'Hm',
          thinking_blocks: blocks,
          tool_calls: [call, { ...call, id: 'c2' }],
        },
        { finish_reason: 'tool_calls' },
      ),
    )
    expect(content.parts).toHaveLength(2)
    expect(content.parts[1]).not.toHaveProperty('thoughtSignature')
    const signature = String(content.parts[0]?.['thoughtSignature'])
    expect(Buffer.from(signature, 'base64').toString('base64')).toBe(signature)
    const [, assistant] = canonical({
      contents: [...hello.contents, { role: 'model', parts: content.parts }],
      tools: [{ functionDeclarations: [{ name: 'f' }] }],
    }).messages
    expect(assistant).toEqual({
      role: 'assistant',
      content: null,
      thinking_blocks: blocks,
      tool_calls: [call, { ...call, id: 'c2' }],
    })
    // Clients that decode base64 may write it back in the alphabet for URLs.
    expect(restoreBlocks(signature.replaceAll('+', '-').replaceAll('/', '_'))).toEqual(blocks)
  })

  test('is carried on the text without a call, and thoughts are shown on request', () => {
    const reply = answer({ content: 'Hi', reasoning_content: 'Hm', thinking_blocks: blocks })
    expect(candidateOf(reply).content.parts).toMatchObject([
      { text: 'Hi', thoughtSignature: expect.any(String) },
    ])
    const thoughts = config({ thinkingConfig: { includeThoughts: true } })
    expect(candidateOf(reply, { ...hello, ...thoughts }).content.parts).toMatchObject([
      { text: 'Hm', thought: true },
      { text: 'Hi' },
    ])
  })

  test('keeps Gemini’s own signatures unchanged', () => {
    const own = { ...call, extra_content: { google: { thought_signature: 'SIG=' } } }
    const { content } = candidateOf(
      answer({
        content: 'Hi',
        thinking_blocks: [{ type: 'thought', signature: 'TXT=' }],
        tool_calls: [own],
      }),
    )
    expect(content.parts).toEqual([
      { text: 'Hi', thoughtSignature: 'TXT=' },
      { functionCall: { id: 'c1', name: 'f', args: {} }, thoughtSignature: 'SIG=' },
    ])
    const [, assistant] = canonical({
      contents: [...hello.contents, { role: 'model', parts: content.parts }],
      tools: [{ functionDeclarations: [{ name: 'f' }] }],
    }).messages
    expect(assistant?.tool_calls).toEqual([own])
    expect(assistant?.thinking_blocks).toEqual([{ type: 'thought', signature: 'TXT=' }])
  })

  test('is never sent to Gemini', () => {
    const { content } = candidateOf(answer({ content: 'Hi', thinking_blocks: blocks }))
    const request = { contents: [{ role: 'model', parts: content.parts }] }
    expect(passes(gemini.native.generateContent!, request)).toBe(false)
    expect(passes(gemini.native.generateContent!, hello)).toBe(true)
  })

  test('is ignored when tampered with', () => {
    const forged = Buffer.from('sluice.bm90IGpzb24').toString('base64')
    const thought = { text: 'x', thoughtSignature: forged }
    const made = canonical({ contents: [...hello.contents, { role: 'model', parts: [thought] }] })
    expect(made.messages[1]).toEqual({ role: 'assistant', content: 'x' })
  })
})

test('maps invalid tool arguments to MALFORMED_FUNCTION_CALL', () => {
  const broken = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":' } }
  expect(candidateOf(answer({ tool_calls: [broken] }, { finish_reason: 'tool_calls' }))).toEqual({
    content: { role: 'model', parts: [{ text: '' }] },
    finishReason: 'MALFORMED_FUNCTION_CALL',
    finishMessage: 'Malformed function call: f({"a":)',
    index: 0,
  })
})

describe('streams for a Gemini client', () => {
  const chunk = (delta: object, finish: string | null = null, index = 0): Step<ChatChunk> => ({
    event: validate(chat.event, {
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index, delta, finish_reason: finish }],
    }),
  })
  const piece = (index: number, text: string, id?: string) =>
    chunk({
      tool_calls: [
        {
          index,
          ...(id && { id, type: 'function' }),
          function: { ...(id && { name: `f${index}` }), arguments: text },
        },
      ],
    })
  const steps = [
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: 'One\nmoment' }),
    piece(0, '', 'c0'),
    piece(0, '{"a":'),
    piece(1, '', 'c1'),
    piece(0, '1}'),
    chunk({}, 'tool_calls'),
    { usage: { inputTokens: 3, outputTokens: 4 } },
  ]
  const written = (query: string, list = steps): string => {
    const writer = streamGenerateContent.writer!({ model: 'm', ...hello }, formatContext(), query)
    return list.map((step) => writer.write(step)).join('') + writer.end()
  }
  const head = { modelVersion: 'm', responseId: 'chatcmpl-1' }
  // The usual input of such a request, and the length of the text: the upstream told nothing yet.
  const soFar = {
    promptTokenCount: 12,
    candidatesTokenCount: 3,
    totalTokenCount: 15,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 12 }],
  }
  const fragments = [
    {
      candidates: [{ content: { role: 'model', parts: [{ text: 'One\nmoment' }] }, index: 0 }],
      usageMetadata: soFar,
      ...head,
    },
    {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { functionCall: { id: 'c0', name: 'f0', args: { a: 1 } } },
              { functionCall: { id: 'c1', name: 'f1', args: {} } },
            ],
          },
          index: 0,
        },
      ],
      usageMetadata: soFar,
      ...head,
    },
    {
      candidates: [
        { content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP', index: 0 },
      ],
      usageMetadata: {
        promptTokenCount: 3,
        candidatesTokenCount: 4,
        totalTokenCount: 7,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: 3 }],
      },
      ...head,
    },
  ]

  test('with alt=sse send fragments, calls whole, usage and finish last', () => {
    const events = written('alt=sse').split('\n\n')
    expect(events.pop()).toBe('')
    expect(events.map((event) => JSON.parse(event.replace(/^data: /, '')))).toEqual(fragments)
  })

  test('without alt=sse are one JSON array', () => {
    expect(JSON.parse(written(''))).toEqual(fragments)
    expect(JSON.parse(written('alt=json'))).toEqual(fragments)
  })

  test('keep the indexes of several choices', () => {
    const both = written('', [
      chunk({ content: 'a' }, null, 0),
      chunk({ content: 'b' }, null, 1),
      chunk({}, 'length', 1),
      chunk({}, 'stop', 0),
    ])
    const last = JSON.parse(both).at(-1).candidates
    expect(last).toMatchObject([
      { index: 0, finishReason: 'STOP' },
      { index: 1, finishReason: 'MAX_TOKENS' },
    ])
  })

  test('end with the error and without STOP after a failure', () => {
    const error = new GatewayError('upstream_cut', 'The upstream broke off')
    for (const [query, parse] of [
      ['', (text: string) => JSON.parse(text)],
      [
        'alt=sse',
        (text: string) =>
          text
            .trim()
            .split('\n\n')
            .map((event) => JSON.parse(event.slice(6))),
      ],
    ] as const) {
      const writer = streamGenerateContent.writer!(hello, formatContext(), query)
      const text = writer.write(chunk({ content: 'a' })) + writer.keepAlive + writer.fail(error)
      expect(text).not.toContain('finishReason')
      const parsed = parse(text.replace(/^: keep-alive\n\n/m, ''))
      expect(parsed.at(-1).error).toMatchObject({ code: 502, status: 'UNAVAILABLE' })
    }
  })

  test('append a failure to passed-through bytes', () => {
    const writer = streamGenerateContent.writer!(hello, formatContext(), '')
    writer.passed?.()
    const text = '[{"candidates":[]}' + writer.fail(new GatewayError('upstream_cut', 'Cut'))
    expect(JSON.parse(text)).toMatchObject([{ candidates: [] }, { error: { code: 502 } }])
  })
})
