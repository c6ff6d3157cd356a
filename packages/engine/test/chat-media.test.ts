import { promisify } from 'node:util'
import { deflateSync, gunzip, gzipSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, describe, expect, it } from 'vitest'
import type { GatewayError } from '../../contract/src/core/errors.ts'
import type { ContentPart } from '../../contract/src/operations/chat-message.ts'
import { operationContext } from '../src/engine.ts'
import { WorkerPool } from '../src/workers/pool.ts'
import { type Asked, chunksOf, replyTo } from './support/ask-chat.ts'
import { engineContext } from './support/engine-context.ts'

const workers = new WorkerPool()
afterAll(() => workers[Symbol.asyncDispose]())
const context = engineContext({ workers })

async function told(question: string, ...parts: ContentPart[]) {
  const messages: Asked['messages'] = [
    { role: 'user', content: [{ type: 'text', text: question }, ...parts] },
  ]
  return replyTo({ messages, temperature: 0 }, context)
}

async function said(question: string, ...parts: ContentPart[]): Promise<string> {
  return (await told(question, ...parts)).choices[0]?.message.content ?? ''
}

function dataUrl(type: string, bytes: Uint8Array | string): string {
  return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
}

async function picture(): Promise<ContentPart> {
  const half = await sharp({
    create: { width: 60, height: 90, channels: 3, background: '#0000ff' },
  })
    .png()
    .toBuffer()
  const bytes = await sharp({
    create: { width: 120, height: 90, channels: 3, background: '#ff0000' },
  })
    .composite([{ input: half, left: 60, top: 0 }])
    .png()
    .toBuffer()
  return { type: 'image_url', image_url: { url: dataUrl('image/png', bytes) } }
}

/** One second of a tone, 16 bits, mono. */
function tone(): Buffer {
  const rate = 16_000
  const samples = Buffer.alloc(rate * 2)
  for (let index = 0; index < rate; index++)
    samples.writeInt16LE(
      Math.round(12_000 * Math.sin((2 * Math.PI * 440 * index) / rate)),
      index * 2,
    )
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}

/** A PDF of one page with one line of text. */
function pdf(text: string): Buffer {
  const stream = deflateSync(Buffer.from(`BT /F1 12 Tf 72 720 Td (${text}) Tj ET`))
  const objects: Buffer[] = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from('<< /Type /Pages /Kids [3 0 R] /Count 1 >>'),
    Buffer.from(
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    ),
    Buffer.concat([
      Buffer.from(`<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`),
      stream,
      Buffer.from('\nendstream'),
    ]),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
  ]
  let file = Buffer.from('%PDF-1.4\n')
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file = Buffer.concat([
      file,
      Buffer.from(`${index + 1} 0 obj\n`),
      object,
      Buffer.from('\nendobj\n'),
    ])
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  return Buffer.concat([
    file,
    Buffer.from(
      `xref\n0 6\n0000000000 65535 f \n${table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF`,
    ),
  ])
}

/** The beginning of an MP4. */
const mp4 = Buffer.from('\0\0\0\x10ftypisom\0\0\0\0isom')

describe('images in a chat', () => {
  it('are described by measured properties', async () => {
    const text = await said("What's in this image?", await picture())
    expect(text).toContain('PNG image, 120 pixels wide and 90 pixels high')
    expect(text).toContain('Its dominant color is red (50%), followed by blue (50%).')
  })

  it('count as image tokens of the prompt', async () => {
    const { usage } = await told('Describe it', await picture())
    expect(usage.prompt_tokens_details.image_tokens).toBe(255)
    expect(usage.prompt_tokens).toBe(
      usage.prompt_tokens_details.image_tokens + usage.prompt_tokens_details.text_tokens,
    )
  })

  it.each([
    ['no picture', dataUrl('image/png', 'hello')],
    ['no base64', 'data:image/png;base64,%%%'],
    ['another scheme', 'ftp://example.com/a.png'],
    ['a private address', 'http://127.0.0.1/a.png'],
    ['nothing', ''],
  ])('that are invalid are rejected by their path: %s', async (_, url) => {
    await expect(
      told('What is it?', { type: 'image_url', image_url: { url } }),
    ).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: 'messages[0].content[1].image_url' },
    })
  })
})

describe('expensive media', () => {
  /** Dashes of one pixel along lines as long as the picture. */
  function dashed(lines: number): string {
    const path = Array.from(
      { length: lines },
      (_, index) => `L${(index * 7919) % 1000} ${(index * 104_729) % 1000}`,
    )
    return `<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="1000"><path d="M0 0${path.join('')}" stroke="red" stroke-width="3" stroke-dasharray="1 1" fill="none"/></svg>`
  }
  const svg = (text: string | Uint8Array): ContentPart => ({
    type: 'image_url',
    image_url: { url: dataUrl('image/svg+xml', text) },
  })
  const param = 'messages[0].content[1].image_url'

  it('an SVG is accepted up to 100 kB, and rejected above it or when compressed', async () => {
    expect(await said('How wide is this image?', svg(dashed(10)))).toContain('1000 pixels wide')
    await expect(told('What is it?', svg(dashed(60_000)))).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'An SVG image may have at most 100 kB',
      details: { param },
    })
    await expect(told('What is it?', svg(gzipSync(dashed(60_000))))).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param },
    })
  })

  it('a slow SVG blocks no thread of the process, and ends when the caller disconnects', async () => {
    const leaving = new AbortController()
    const messages: Asked['messages'] = [{ role: 'user', content: [svg(dashed(10_500))] }]
    const own = operationContext(
      engineContext({ workers, key: 'bob', signal: leaving.signal }),
      workers,
    )
    const drawing = Array.from({ length: 4 }, () =>
      replyTo({ messages, temperature: 0 }, own).then(
        () => 'drawn',
        (error: GatewayError) => error.code,
      ),
    )
    // Asked of libuv's threads, all four of which such drawings would hold.
    const packed = gzipSync('innocent')
    for (let index = 0; index < 20; index++)
      expect((await promisify(gunzip)(packed)).toString()).toBe('innocent')
    const others = operationContext(engineContext({ workers, key: 'alice' }), workers)
    const content = [{ type: 'text' as const, text: 'How wide is this image?' }, svg(dashed(10))]
    const reply = await replyTo({ messages: [{ role: 'user', content }] }, others)
    expect(reply.choices[0]?.message.content).toContain('1000 pixels wide')
    leaving.abort()
    expect(await Promise.all(drawing)).toEqual(Array.from({ length: 4 }, () => 'cancelled'))
  })

  it('a PDF that expands beyond the limit is rejected by its path', async () => {
    const bomb = pdf(' '.repeat(150 * 1024 * 1024))
    const part: ContentPart = {
      type: 'file',
      file: { filename: 'a.pdf', file_data: dataUrl('application/pdf', bomb) },
    }
    await expect(told('What is it?', part)).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: 'messages[0].content[1].file.file_data' },
    })
  }, 90_000)
})

describe('audio, video and files in a chat', () => {
  it('describes the duration, sample rate and content of a recording', async () => {
    const text = await said('What is in this recording?', {
      type: 'input_audio',
      input_audio: { data: tone().toString('base64'), format: 'wav' },
    })
    expect(text).toContain('duration of 1 seconds')
    expect(text).toContain('1 channel (mono)')
    expect(text).toContain('[sound]')
  })

  it('describes a video by its container', async () => {
    const text = await said('Describe this video', {
      type: 'video_url',
      video_url: { url: dataUrl('video/mp4', mp4) },
    })
    expect(text).toContain('MP4 video')
  })

  it('answers from the text of a PDF and of a text file', async () => {
    const report = 'The report was written by Grace Hopper in 1952.'
    const files: [string, string, Uint8Array | string][] = [
      ['a.pdf', 'application/pdf', pdf(report)],
      ['a.txt', 'text/plain', report],
    ]
    for (const [filename, type, bytes] of files)
      expect(
        await said('Who wrote the report?', {
          type: 'file',
          file: { filename, file_data: dataUrl(type, bytes) },
        }),
      ).toBe(report)
  })

  it.each<[string, ContentPart, string]>([
    [
      'sound',
      { type: 'input_audio', input_audio: { data: 'aGVsbG8=', format: 'mp3' } },
      'input_audio',
    ],
    ['film', { type: 'video_url', video_url: { url: dataUrl('video/mp4', 'hello') } }, 'video_url'],
    [
      'file',
      {
        type: 'file',
        file: {
          filename: 'a.bin',
          file_data: dataUrl('application/octet-stream', Buffer.from([0, 1, 255, 254])),
        },
      },
      'file.file_data',
    ],
    [
      'broken PDF',
      {
        type: 'file',
        file: { filename: 'a.pdf', file_data: dataUrl('application/pdf', '%PDF-1.4 nothing') },
      },
      'file.file_data',
    ],
    ['file by id', { type: 'file', file: { file_id: 'file-1' } }, 'file.file_id'],
  ])('rejects unreadable media by their path: %s', async (_, part, field) => {
    await expect(told('What is it?', part)).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: `messages[0].content[1].${field}` },
    })
  })
})

describe('spoken answers', () => {
  const spoken: Asked = {
    messages: [{ role: 'user', content: 'Say hello' }],
    temperature: 0,
    modalities: ['text', 'audio'],
    audio: { voice: 'alloy', format: 'wav' },
  }

  it('are a wav file with a transcript', async () => {
    const reply = await replyTo(spoken, context)
    const { message } = reply.choices[0] ?? {}
    expect(message).toMatchObject({
      content: null,
      audio: { transcript: 'Hello.', id: expect.stringMatching(/^audio_/) },
    })
    expect(
      Buffer.from(message?.audio?.data ?? '', 'base64')
        .subarray(0, 4)
        .toString(),
    ).toBe('RIFF')
    expect(reply.usage.completion_tokens_details.audio_tokens).toBeGreaterThan(0)
  })

  it('are an mp3 of the same duration', async () => {
    const wav = await replyTo(spoken, context)
    const mp3 = await replyTo({ ...spoken, audio: { voice: 'alloy', format: 'mp3' } }, context)
    const bytes = Buffer.from(mp3.choices[0]?.message.audio?.data ?? '', 'base64')
    // Eleven bits of one begin a frame.
    expect(bytes.readUInt16BE() >> 5).toBe(0x7ff)
    const tokensOf = ({ usage }: typeof wav) => usage.completion_tokens_details.audio_tokens
    expect(Math.abs(tokensOf(mp3) - tokensOf(wav))).toBeLessThan(4)
  })

  it('are streamed as pcm samples', async () => {
    const { chunks } = await chunksOf(
      { ...spoken, audio: { voice: 'alloy', format: 'pcm16' } },
      context,
    )
    const pieces = chunks.flatMap((chunk): Record<string, unknown>[] => {
      const audio = chunk.choices[0]?.delta.audio
      return audio === undefined ? [] : [audio]
    })
    expect(pieces.map((piece) => piece['transcript'] ?? '').join('')).toBe('Hello.')
    expect(
      Buffer.concat(pieces.map((piece) => Buffer.from(String(piece['data'] ?? ''), 'base64')))
        .length,
    ).toBeGreaterThan(5000)
  })

  it.each<[string, Asked, string]>([
    [
      'a format it does not make',
      { ...spoken, audio: { voice: 'alloy', format: 'opus' } },
      'audio.format',
    ],
    [
      'a voice it does not have',
      { ...spoken, audio: { voice: 'nobody', format: 'wav' } },
      'audio.voice',
    ],
  ])('reject %s', async (_, asked, param) => {
    await expect(replyTo(asked, context)).rejects.toMatchObject({
      code: 'unsupported_value',
      details: { param },
    })
  })
})
