import { expect } from 'vitest'
import { codecContext, eventsInPieces, received } from '../../../../test/support/codec-context.ts'
import { readStream } from '../../../../test/support/formats/read-stream.ts'
import {
  recordedLines,
  recording,
  testRecording,
} from '../../../../test/support/formats/recordings.ts'
import { openai } from '../../src/openai/index.ts'
import { compatibleRerank } from '../../src/openai/upstream/rerank.ts'

const { complete, createImage, editImage, embed, transcribe } = openai.codecs
const context = codecContext()

testRecording('a text completion', () => {
  const { reply, usage } = complete!.decode(
    received(recording('openai/openai-completion-text.json')),
    context,
    { model: 'm', prompt: 'p' },
  )
  expect(reply.choices).toEqual([
    {
      text: 'The new holiday is called "Gratitude Day" and it celebrates the importance of',
      index: 0,
      logprobs: null,
      finish_reason: 'length',
    },
  ])
  expect(usage).toEqual({ inputTokens: 14, outputTokens: 16 })
})

testRecording('a streamed text completion', async () => {
  const lines = [...recordedLines('openai/openai-completion-text.chunks.txt'), '[DONE]']
  const text = lines.map((line) => `data: ${line}\n\n`).join('')
  for (const size of [1, 7, 4096]) {
    const events = eventsInPieces(text, size)
    const request = { model: 'm', prompt: 'p' }
    const read = readStream(complete!.stream!, { events, context: codecContext(), request })
    const told = read.steps.flatMap((step) => ('event' in step ? step.event.choices : []))
    expect(told.map((choice) => choice.text).join('')).toBe(
      'The holiday is called "Gratitude Day" and it is a day dedicated to',
    )
    expect(told.at(-1)?.finish_reason).toBe('length')
    expect(read.usage).toEqual({ inputTokens: 14, outputTokens: 16 })
    expect(read.verdicts.at(-1)).toBe('terminal')
  }
})

testRecording('embeddings', () => {
  const answer = received(recording('openai/openai-embedding.json'))
  const { reply, usage } = embed!.decode(answer, context, { model: 'm', input: ['a', 'b'] })
  expect(reply.data.map(({ index }) => index)).toEqual([0, 1])
  expect(reply.data[1]?.embedding).toEqual([
    -0.037104916, -0.05178114, -0.008340587, 0.001164541, -0.0035253682,
  ])
  expect(usage).toEqual({ inputTokens: 12, outputTokens: 0 })
  const encoded = embed!.decode(answer, context, {
    model: 'm',
    input: ['a', 'b'],
    encoding_format: 'base64',
  })
  const bytes = Buffer.from(String(encoded.reply.data[0]?.embedding), 'base64')
  expect(bytes.length).toBe(20)
  expect(bytes.readFloatLE(0)).toBeCloseTo(0.0057293195, 9)
})

testRecording('images', () => {
  const made = createImage!.decode(received(recording('openai/openai-image.json')), context, {
    model: 'm',
    prompt: 'p',
  })
  expect(made.reply.created).toBe(1770935200)
  expect(made.reply.data).toHaveLength(2)
  expect(made.reply.data[0]?.revised_prompt).toMatch(/^A small and adorable baby sea otter\./)
  expect(made.reply.data[1]).toMatchObject({ url: null, revised_prompt: null })
  expect(made.usage).toEqual({ inputTokens: 0, outputTokens: 0, images: 2 })
  const edited = editImage!.decode(received(recording('openai/openai-image-edit.json')), context, {
    model: 'm',
  })
  expect(edited.reply).toMatchObject({ background: 'opaque', quality: 'high', size: '1024x1024' })
  expect(edited.reply.data[0]?.b64_json).toMatch(/^iVBORw0KGgo/)
})

testRecording('transcripts', () => {
  const request = {
    model: 'm',
    file: { filename: 'a.mp3', contentType: 'audio/mpeg', bytes: new Uint8Array(1) },
    response_format: 'verbose_json' as const,
  }
  const whisper = received(recording('openai/openai-transcription.json'))
  const { reply, usage } = transcribe!.decode(whisper, context, request)
  expect(reply).toMatchObject({ task: 'transcribe', language: 'english' })
  expect(reply.duration).toBeCloseTo(36.71, 5)
  expect(reply.words?.at(-1)).toEqual({
    word: 'robotic',
    start: 1.5,
    end: 2.0199999809265137,
  })
  expect(usage).toEqual({ inputTokens: 0, outputTokens: 0, seconds: 37 })
  const voxtral = received(recording('mistral/mistral-transcription.json'))
  const mistral = transcribe!.decode(voxtral, context, request)
  expect(mistral.reply.text).toMatch(/^Galileo was an American robotic space program/)
  expect(mistral.reply.segments).toHaveLength(4)
  expect(mistral.usage).toEqual({ inputTokens: 13, outputTokens: 151, seconds: 36 })
})

testRecording('a reranking whose documents come back empty', () => {
  const documents = ['d0', 'd1', 'd2', 'd3', 'd4', 'd5']
  const answer = received(recording('togetherai/togetherai-reranking.1.json'))
  const { reply, usage } = compatibleRerank().decode(answer, context, {
    model: 'm',
    query: 'q',
    documents,
  })
  expect(reply.results).toEqual([
    { index: 0, relevance_score: 0.6475887154399037, document: { text: 'd0' } },
    { index: 5, relevance_score: 0.6323295373206566, document: { text: 'd5' } },
  ])
  expect(usage).toEqual({ inputTokens: 2966, outputTokens: 0 })
})

testRecording('error bodies', () => {
  const failure = (name: string) =>
    openai.failure(received(recording(`openai/${name}`), { status: 400 }))
  expect(failure('gpt-image-response-format-error.json')).toEqual({
    message: "Unknown parameter: 'response_format'.",
    code: 'unknown_parameter',
    param: 'response_format',
  })
  expect(failure('reasoning-model-legacy-parameter-error.json')).toMatchObject({
    code: 'unsupported_parameter',
    param: 'max_tokens',
  })
  const quota = failure('openai-error.1.json')
  expect(quota.code).toBe('insufficient_quota')
  expect(quota.message).toMatch(/^You exceeded your current quota/)
})
