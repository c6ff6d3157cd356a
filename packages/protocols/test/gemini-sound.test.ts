import { describe, expect, test } from 'vitest'
import { codecContext, received } from '../../../test/support/codec-context.ts'
import { gemini } from '../src/gemini/index.ts'

const { speak, transcribe, translate } = gemini.codecs
const context = codecContext({ model: 'gemini-2.5-flash-preview-tts' })
const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 50 }

function json({ body }: { readonly body?: unknown }): unknown {
  return (body as { value: unknown }).value
}

describe('speech', () => {
  const request = { model: 's', input: 'Hello', voice: 'Kore', instructions: 'Say it gladly' }
  const answer = received(
    JSON.stringify({
      candidates: [
        {
          content: {
            parts: [
              { inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data: 'AQACAA==' } },
            ],
          },
          finishReason: 'STOP',
        },
      ],
      usageMetadata,
    }),
  )

  test('requests audio only', () => {
    expect(json(speak!.encode(request, context))).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Say it gladly: Hello' }] }],
      generationConfig: {
        responseModalities: ['AUDIO'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
      },
    })
  })

  test('is returned as a WAV file or as samples', () => {
    const { rendered, usage } = speak!.decode(answer, context, request)
    expect(rendered?.contentType).toBe('audio/wav')
    expect(Buffer.from(rendered!.bytes).toString('latin1', 0, 4)).toBe('RIFF')
    expect(usage).toEqual({ inputTokens: 5, outputTokens: 50 })
    const pcm = speak!.decode(answer, context, { ...request, response_format: 'pcm' }).rendered
    expect(pcm?.contentType).toBe('audio/pcm')
    expect([...pcm!.bytes]).toEqual([1, 0, 2, 0])
  })

  test.each([
    [{ response_format: 'mp3' as const }, 'response_format'],
    [{ speed: 2 }, 'speed'],
  ])('rejects %j', (fields, param) => {
    expect(() => speak!.encode({ ...request, ...fields }, context)).toThrowError(
      expect.objectContaining({ details: { param } }),
    )
  })

  test('without audio is an error', () => {
    const silent = received('{"candidates":[{"content":{"parts":[{"text":"x"}]}}]}')
    expect(() => speak!.decode(silent, context, request)).toThrowError(
      expect.objectContaining({ code: 'upstream_garbled' }),
    )
    const blocked = received('{"promptFeedback":{"blockReason":"SAFETY"}}')
    expect(() => speak!.decode(blocked, context, request)).toThrowError(
      expect.objectContaining({ code: 'content_blocked' }),
    )
  })
})

describe('transcripts', () => {
  const file = { filename: 'a.mp3', contentType: 'audio/mpeg', bytes: Buffer.from('abc') }
  const request = { model: 't', file, language: 'de', prompt: 'Grüezi', temperature: 0 }
  const answer = received(
    JSON.stringify({
      candidates: [{ content: { parts: [{ text: 'Guten Tag.\n' }] }, finishReason: 'STOP' }],
      usageMetadata,
    }),
  )

  test('are requested from a model with audio input', () => {
    expect(json(transcribe!.encode(request, context))).toEqual({
      contents: [
        {
          role: 'user',
          parts: [
            { inlineData: { mimeType: 'audio/mp3', data: 'YWJj' } },
            { text: expect.stringMatching(/language is de .*Before it was said: "Grüezi"/) },
          ],
        },
      ],
      generationConfig: { temperature: 0 },
    })
    expect(JSON.stringify(translate!.encode({ model: 't', file }, context))).toContain('in English')
  })

  test('are returned as JSON or plain text', () => {
    const { reply, usage } = transcribe!.decode(answer, context, request)
    expect(reply).toEqual({ text: 'Guten Tag.' })
    expect(usage).toEqual({ inputTokens: 5, outputTokens: 50 })
    const { rendered } = transcribe!.decode(answer, context, {
      ...request,
      response_format: 'text',
    })
    expect(Buffer.from(rendered!.bytes).toString()).toBe('Guten Tag.\n')
  })

  test('reject formats with timestamps', () => {
    expect(() => transcribe!.encode({ ...request, response_format: 'srt' }, context)).toThrowError(
      expect.objectContaining({ details: { param: 'response_format' } }),
    )
  })
})
