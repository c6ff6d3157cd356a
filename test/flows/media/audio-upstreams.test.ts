// Speech and transcription at servers with APIs like OpenAI's.
import { expect, test } from 'vitest'
import { type Answering, json, sse } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf } from '../../support/gateways/single-upstream.ts'

const sound: Answering = (_seen, response) => {
  response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('SOUND')
}
const transcript: Answering = (_seen, response) => json(response, { text: 'Hello.' })

async function inFront(type: string, answering: Answering) {
  const pair = await inFrontOf(type, answering)
  const { gateway } = pair
  return {
    ...pair,
    speak: (fields: object, model = `${type}/m`) =>
      gateway.post('/v1/audio/speech', { model, input: 'Hi', voice: 'alloy', ...fields }),
    transcribe(fields: Readonly<Record<string, string>>, file = wav('a.wav', 'audio/wav')) {
      const form = new FormData()
      form.append('file', file)
      for (const [name, value] of Object.entries({ model: `${type}/m`, ...fields }))
        form.append(name, value)
      return gateway.request('/v1/audio/transcriptions', { method: 'POST', body: form })
    },
  }
}

function wav(name: string, type: string): File {
  return new File([Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1')], name, { type })
}

test.each([
  ['elevenlabs', { input: 'x'.repeat(5000) }],
  ['localai', { input: 'x'.repeat(9000) }],
  ['groq', { response_format: 'mulaw' }],
  ['togetherai', { response_format: 'raw' }],
])('allows %s its own input length and audio formats', async (type, fields) => {
  await using pair = await inFront(type, sound)
  const answer = await pair.speak(fields)
  expect(await answer.text()).toBe('SOUND')
})

test('rejects an audio format the target lacks, and input too long for the built-in engine', async () => {
  await using pair = await inFront('deepgram', sound)
  for (const [fields, model, param] of [
    [{ response_format: 'mp33' }, 'deepgram/aura-2', 'response_format'],
    [{ response_format: 'mp33' }, 'builtin-speech', 'response_format'],
    [{ input: 'x'.repeat(4097) }, 'builtin-speech', 'input'],
  ] as const) {
    const answer = await pair.speak(fields, model)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { param } })
  }
})

test('drops null fields of a speech request', async () => {
  await using pair = await inFront('openai', sound)
  await pair.speak({ response_format: null, speed: null, instructions: null })
  expect(pair.upstream.seen[0]?.body).toEqual({ model: 'm', input: 'Hi', voice: 'alloy' })
})

test('answers stream_format sse with audio if the model cannot send events', async () => {
  await using pair = await inFront('openai', sound)
  const answer = await pair.speak({ stream_format: 'sse' })
  expect(answer.headers.get('content-type')).toBe('audio/mpeg')
  expect(await answer.text()).toBe('SOUND')
})

test.each([
  [wav('blob', 'audio/webm'), 'filename="blob.webm"'],
  [wav('recording', 'audio/x-wav'), 'filename="recording.wav"'],
  [wav('file', 'application/octet-stream'), 'filename="file.wav"'],
  [wav('a.b', 'application/octet-stream'), 'filename="a.b.wav"'],
  [wav('kept.m4a', 'audio/webm'), 'filename="kept.m4a"'],
])('adds the file extension that matches the content type of an upload', async (file, sent) => {
  await using pair = await inFront('openai', transcript)
  await pair.transcribe({}, file)
  expect(pair.upstream.seen[0]?.text).toContain(sent)
})

test('drops empty fields of a transcription form', async () => {
  await using pair = await inFront('openai', transcript)
  const answer = await pair.transcribe({ language: '', temperature: '', prompt: '' })
  expect(await answer.json()).toEqual({ text: 'Hello.' })
  expect(pair.upstream.seen[0]?.text).not.toMatch(/name="(?:language|temperature|prompt)"/)
})

test('converts vLLM’s transcription chunks to transcript events', async () => {
  const chunk = (content: string, reason: string | null) => ({
    object: 'transcription.chunk',
    choices: [{ delta: { content }, finish_reason: reason }],
  })
  await using pair = await inFront('vllm', (_seen, response) =>
    sse(response, [chunk('Hel', null), chunk('lo', 'stop'), 'data: [DONE]\n\n']),
  )
  const answer = await pair.transcribe({ stream: 'true' })
  const events = (await answer.text())
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)))
  expect(events).toMatchObject([
    { type: 'transcript.text.delta', delta: 'Hel' },
    { type: 'transcript.text.delta', delta: 'lo' },
    { type: 'transcript.text.done', text: 'Hello' },
  ])
})
