// Streamed transcription at upstreams that only send whole answers.
import { expect, test } from 'vitest'
import { type Answering, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import type { Routes } from '../../support/routes.ts'
import { type Started, start } from '../../support/start.ts'

const text = 'Hello there.'

async function events(gateway: Started, fields: Readonly<Record<string, string>>) {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(64)], { type: 'audio/wav' }), 'a.wav')
  form.set('stream', 'true')
  for (const [name, value] of Object.entries({ model: 'up/m', ...fields })) form.set(name, value)
  const answer = await gateway.request('/v1/audio/transcriptions', { method: 'POST', body: form })
  const body = await answer.text()
  expect([answer.status, answer.headers.get('content-type')], body).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ])
  const blocks = body.split('\n\n').filter(Boolean)
  return blocks.map((block) => JSON.parse(block.slice(block.indexOf('data: ') + 6)))
}

const delta = { type: 'transcript.text.delta', delta: text }
const done = (usage: object) => ({ type: 'transcript.text.done', text, usage })
const tokens = { type: 'tokens', input_tokens: 14, output_tokens: 3, total_tokens: 17 }

const rows: readonly (readonly [string, string, unknown, Record<string, string>, object[]])[] = [
  [
    'OpenAI, whose Whisper ignores it',
    'openai',
    { text, usage: tokens },
    {},
    [delta, done(tokens)],
  ],
  [
    'Deepgram',
    'deepgram',
    {
      metadata: { duration: 1.2 },
      results: { channels: [{ alternatives: [{ transcript: text, words: [] }] }] },
    },
    {},
    [delta, done({ type: 'duration', seconds: 2 })],
  ],
  [
    'Gemini, asked for text',
    'google',
    {
      candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 14, candidatesTokenCount: 3, totalTokenCount: 17 },
    },
    { response_format: 'text' },
    [delta, done(tokens)],
  ],
  [
    'OpenAI, with speakers',
    'openai',
    {
      text,
      segments: [
        { type: 'transcript.text.segment', id: 's1', speaker: 'A', start: 0, end: 1, text },
      ],
      usage: tokens,
    },
    { response_format: 'diarized_json' },
    [
      { type: 'transcript.text.segment', id: 's1', speaker: 'A', start: 0, end: 1, text },
      delta,
      done(tokens),
    ],
  ],
]

test.each(rows)('%s: converts a whole transcript to stream events', async (_name, ...row) => {
  const [type, body, fields, told] = row
  const answering: Answering = (_seen, response) => json(response, body)
  await using up = await fakeUpstream(answering)
  const providers = { up: { type, baseUrl: up.url, key: 'k' } } as Routes['providers']
  await using gateway = await start({ ...(providers && { providers }) })
  expect(await events(gateway, fields)).toEqual(told)
  await gateway.gateway.store.flush()
  const [record] = await gateway.gateway.store.listUsage({ limit: 1 })
  expect(record).toMatchObject({ operation: 'transcribe', outcome: 'completed', reported: true })
})

test('answers 502 to a streamed transcription when the upstream’s answer is invalid', async () => {
  await using up = await fakeUpstream((_seen, response) => json(response, { nothing: true }))
  await using gateway = await start({
    providers: { up: { type: 'openai', baseUrl: up.url, key: 'k' } },
  })
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(64)], { type: 'audio/wav' }), 'a.wav')
  form.set('stream', 'true')
  form.set('model', 'up/m')
  const answer = await gateway.request('/v1/audio/transcriptions', { method: 'POST', body: form })
  expect(answer.status).toBe(502)
})
