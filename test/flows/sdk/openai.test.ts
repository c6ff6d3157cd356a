import { openAsBlob } from 'node:fs'
import { join } from 'node:path'
import OpenAI, { NotFoundError, toFile } from 'openai'
import { makeParseableResponseFormat } from 'openai/lib/parser'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { silence, sine, wavOf } from '../../../packages/engine/test/audio-sounds.ts'
import { type Started, start, testKey } from '../../support/start.ts'

/** OpenAI's own client, told nothing but the address and the key; the names are those its users write. */
let gateway: Started
let openai: OpenAI

beforeAll(async () => {
  gateway = await start()
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: testKey, maxRetries: 0 })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const facts = 'The lighthouse of Amrum was built in 1875 and is 63.1 metres tall.'

describe('chat', () => {
  test('a completion', async () => {
    const { choices, usage, model } = await openai.chat.completions.create({
      model: 'gpt-4o',
      messages: [
        { role: 'system', content: facts },
        { role: 'user', content: 'When was the lighthouse of Amrum built?' },
      ],
    })
    expect(choices).toHaveLength(1)
    expect(choices[0]?.message.content).toContain('1875')
    expect(choices[0]?.finish_reason).toBe('stop')
    expect(usage?.total_tokens).toBe(usage!.prompt_tokens + usage!.completion_tokens)
    expect(model).toBe('gpt-4o')
  })

  test('a stream in chunks with its usage', async () => {
    const stream = await openai.chat.completions.create({
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: `Summarise in one sentence: ${facts}` }],
      stream: true,
      stream_options: { include_usage: true },
    })
    const pieces: string[] = []
    const finishes: unknown[] = []
    let total: number | undefined
    for await (const { choices, usage } of stream) {
      if (choices[0]?.delta.content) pieces.push(choices[0].delta.content)
      if (choices[0]?.finish_reason) finishes.push(choices[0].finish_reason)
      total = usage?.total_tokens ?? total
    }
    expect(pieces.length).toBeGreaterThan(3)
    expect(pieces.join('')).toContain('Amrum')
    expect(finishes).toEqual(['stop'])
    expect(total).toBeGreaterThan(0)
  })

  test('the stream helper assembles the message', async () => {
    const stream = openai.chat.completions.stream({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'What is 12 times 12?' }],
      temperature: 0,
    })
    expect(await stream.finalContent()).toContain('144')
  })

  const weather = (asked: string[]) => ({
    type: 'function' as const,
    function: {
      name: 'get_weather',
      description: 'The weather in a city',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string', description: 'The name of the city' } },
        required: ['city'],
        additionalProperties: false,
      },
      parse: (text: string): { city: string } => JSON.parse(text),
      function({ city }: { city: string }) {
        asked.push(city)
        return JSON.stringify({ city, temperature_celsius: 17, sky: 'cloudy' })
      },
    },
  })

  test.each([false, true])('the tool runner, streamed %o', async (stream) => {
    const asked: string[] = []
    const runner = openai.chat.completions.runTools({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
      tools: [weather(asked)],
      stream,
    } as Parameters<typeof openai.chat.completions.runTools>[0])
    const answer = await runner.finalContent()
    expect(asked).toEqual(['Paris'])
    expect(answer).toMatch(/17|cloudy/)
  })

  test('parallel tool calls', async () => {
    const { choices } = await openai.chat.completions.create({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'What is the weather in Paris and in Oslo?' }],
      tools: [weather([])],
    })
    expect(choices[0]?.finish_reason).toBe('tool_calls')
    const cities = choices[0]?.message.tool_calls?.map((call) =>
      call.type === 'function' ? JSON.parse(call.function.arguments).city : undefined,
    )
    expect(cities).toEqual(['Paris', 'Oslo'])
  })

  test('the parse helper for a JSON schema', async () => {
    const person = makeParseableResponseFormat<{ name: string; age: number }>(
      {
        type: 'json_schema',
        json_schema: {
          name: 'person',
          strict: true,
          schema: {
            type: 'object',
            properties: { name: { type: 'string' }, age: { type: 'integer' } },
            required: ['name', 'age'],
            additionalProperties: false,
          },
        },
      },
      (text) => JSON.parse(text),
    )
    const { choices } = await openai.chat.completions.parse({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'Ada Lovelace is 36 years old.' }],
      response_format: person,
    })
    expect(choices[0]?.message.parsed).toEqual({ name: 'Ada Lovelace', age: 36 })
  })

  test('an unknown model throws NotFoundError', async () => {
    const asked = openai.chat.completions.create({
      model: 'no-such-model',
      messages: [{ role: 'user', content: 'Hi' }],
    })
    await expect(asked).rejects.toThrow(NotFoundError)
    await expect(asked).rejects.toMatchObject({ status: 404, code: 'model_not_found' })
  })
})

describe('text', () => {
  test('completions, whole and streamed', async () => {
    const request = {
      model: 'gpt-3.5-turbo-instruct',
      prompt: 'The capital of France is Paris. The capital of France is',
      max_tokens: 1,
      temperature: 0,
    }
    const { choices } = await openai.completions.create(request)
    expect(choices[0]?.text).toContain('Paris')
    let text = ''
    for await (const { choices: pieces } of await openai.completions.create({
      ...request,
      stream: true,
    }))
      text += pieces[0]?.text ?? ''
    expect(text).toBe(choices[0]?.text)
  })

  test('embeddings in base64 and float', async () => {
    const { data, usage } = await openai.embeddings.create({
      model: 'text-embedding-3-small',
      input: ['a boat on the sea', 'ships sail the sea', 'quarterly tax return'],
    })
    const [boat, ships, tax] = data.map(({ embedding }) => embedding)
    const dot = (left: number[] = [], right: number[] = []) =>
      left.reduce((sum, value, at) => sum + value * (right[at] ?? Number.NaN), 0)
    expect(boat).toHaveLength(1536)
    expect(dot(boat, boat)).toBeCloseTo(1, 4)
    expect(dot(boat, ships)).toBeGreaterThan(dot(boat, tax))
    expect(usage.total_tokens).toBe(usage.prompt_tokens)
    const floats = await openai.embeddings.create({
      model: 'text-embedding-3-small',
      input: 'a boat on the sea',
      encoding_format: 'float',
    })
    expect(Array.from(new Float32Array(floats.data[0]?.embedding ?? []))).toEqual(
      Array.from(new Float32Array(boat ?? [])),
    )
  })

  test('moderation', async () => {
    const { results } = await openai.moderations.create({
      model: 'omni-moderation-latest',
      input: ['I will kill you', 'I will water the garden'],
    })
    expect(results.map(({ flagged }) => flagged)).toEqual([true, false])
    expect(results[0]?.categories.violence).toBe(true)
  })

  test('models', async () => {
    const ids: string[] = []
    for await (const { id } of openai.models.list()) ids.push(id)
    expect(ids).toEqual(expect.arrayContaining(['builtin-chat', 'gpt-4o', 'whisper-1']))
    expect(await openai.models.retrieve('gpt-4o')).toMatchObject({ id: 'gpt-4o', object: 'model' })
    await expect(openai.models.retrieve('nothing')).rejects.toThrow(NotFoundError)
  })
})

describe('audio', () => {
  const sound = () => toFile(wavOf(silence(0.5), sine(440, 1), silence(0.5)), 'tone.wav')

  test('transcription in each response format', async () => {
    const { text } = await openai.audio.transcriptions.create({
      model: 'whisper-1',
      file: await sound(),
    })
    expect(text).not.toBe('')
    const verbose = await openai.audio.transcriptions.create({
      model: 'whisper-1',
      file: await sound(),
      response_format: 'verbose_json',
      timestamp_granularities: ['segment', 'word'],
    })
    expect(verbose.duration).toBeCloseTo(2, 1)
    const tone = verbose.segments?.find(({ text }) => text.includes('[sound]'))
    expect(tone?.start).toBeCloseTo(0.5, 0.5)
    expect(tone?.end).toBeCloseTo(1.5, 0.5)
    const subtitles = await openai.audio.transcriptions.create({
      model: 'whisper-1',
      file: await sound(),
      response_format: 'srt',
    })
    expect(subtitles).toMatch(/^1\n00:00:0\d,\d{3} --> /)
  })

  test('a streamed transcription', async () => {
    const events = await openai.audio.transcriptions.create({
      model: 'gpt-4o-transcribe',
      file: await sound(),
      stream: true,
    })
    const types: string[] = []
    for await (const { type } of events) types.push(type)
    expect(types).toContain('transcript.text.delta')
    expect(types.at(-1)).toBe('transcript.text.done')
  })

  test('translation, of an mp3 too', async () => {
    const mp3 = await openAsBlob(join(import.meta.dirname, '../../fixtures/audio/tone.mp3'))
    const { text } = await openai.audio.translations.create({
      model: 'whisper-1',
      file: new File([mp3], 'tone.mp3'),
    })
    expect(text).not.toBe('')
  })

  test('speech that can be transcribed', async () => {
    const speech = await openai.audio.speech.create({
      model: 'tts-1',
      voice: 'alloy',
      input: 'The gate is open.',
    })
    expect(speech.headers.get('content-type')).toBe('audio/mpeg')
    const bytes = Buffer.from(await speech.arrayBuffer())
    const heard = await openai.audio.transcriptions.create({
      model: 'whisper-1',
      file: await toFile(bytes, 'speech.mp3'),
      response_format: 'verbose_json',
    })
    expect(heard.duration).toBeGreaterThan(0.5)
  })
})

describe('images', () => {
  const red = () =>
    sharp({ create: { width: 64, height: 32, channels: 3, background: '#d02020' } })
      .png()
      .toBuffer()

  test('an edit changes the image as instructed', async () => {
    const { data } = await openai.images.edit({
      model: 'gpt-image-1',
      image: await toFile(await red(), 'red.png', { type: 'image/png' }),
      prompt: 'Make it grayscale and rotate it by 90 degrees',
    })
    const picture = sharp(Buffer.from(data?.[0]?.b64_json ?? '', 'base64'))
    const { width, height } = await picture.metadata()
    expect([width, height]).toEqual([32, 64])
    const [pixel] = (await picture.removeAlpha().raw().toColourspace('srgb').toBuffer()).values()
    const { channels } = await picture.stats()
    expect(pixel).toBeGreaterThan(0)
    expect(
      Math.max(...channels.slice(0, 3).map(({ mean }) => Math.abs(mean - pixel!))),
    ).toBeLessThan(2)
  })

  test('generation with a URL', async () => {
    const { data } = await openai.images.generate({
      model: 'dall-e-3',
      prompt: 'A red circle above a blue sea',
      size: '1024x1024',
      response_format: 'url',
    })
    const response = await fetch(data?.[0]?.url ?? '')
    expect(response.status).toBe(200)
    const { width, height } = await sharp(await response.arrayBuffer()).metadata()
    expect([width, height]).toEqual([1024, 1024])
  })
})

test('a video: create, poll, download, list, delete', async () => {
  const created = await openai.videos.create({
    model: 'sora-2',
    prompt: 'A yellow sun rises over the sea',
    seconds: '4',
    size: '720x1280',
  })
  expect(created).toMatchObject({ object: 'video', status: 'queued', progress: 0 })
  const done = await vi.waitFor(
    async () => {
      const video = await openai.videos.retrieve(created.id)
      expect(['completed', 'failed']).toContain(video.status)
      return video
    },
    { timeout: 60_000, interval: 250 },
  )
  expect(done).toMatchObject({ status: 'completed', progress: 100, error: null, seconds: '4' })
  const clip = Buffer.from(await (await openai.videos.downloadContent(done.id)).arrayBuffer())
  expect(clip.subarray(4, 8).toString()).toBe('ftyp')
  const still = await openai.videos.downloadContent(done.id, { variant: 'thumbnail' })
  expect((await sharp(await still.arrayBuffer()).metadata()).format).toBe('webp')
  const ids: string[] = []
  for await (const { id } of openai.videos.list()) ids.push(id)
  expect(ids).toEqual([done.id])
  expect(await openai.videos.delete(done.id)).toMatchObject({ id: done.id, deleted: true })
  await expect(openai.videos.retrieve(done.id)).rejects.toThrow(NotFoundError)
}, 90_000)
