import { describe, expect, it } from 'vitest'
import { codecContext, received } from '../../../test/support/codec-context.ts'
import type { OperationName, RequestOf } from '../../contract/src/operations/index.ts'
import { openai, openaiLike } from '../src/openai/index.ts'
import type { Codec, CodecContext, UpstreamRequest } from '../src/protocol.ts'

function encode<O extends OperationName>(
  operation: O,
  request: RequestOf<O>,
  given: Partial<CodecContext> = {},
): UpstreamRequest {
  const codec = openai.codecs[operation] as Codec<O> | undefined
  return codec!.encode(request, codecContext(given))
}

function fields(request: UpstreamRequest): readonly (readonly [string, string])[] {
  if (request.body?.kind !== 'form') throw new Error('No form')
  return request.body.parts.map((part) => [
    part.name,
    'value' in part
      ? part.value
      : `${part.file.filename} ${part.file.contentType} ${Buffer.from(part.file.bytes).toString()}`,
  ])
}

function json(request: UpstreamRequest): unknown {
  return request.body?.kind === 'json' ? request.body.value : undefined
}

const png = (name: string) => ({
  filename: name,
  contentType: 'image/png',
  bytes: Buffer.from('PNG'),
})
const dataUrl = `data:image/webp;base64,${Buffer.from('WEBP').toString('base64')}`

describe('images', () => {
  const input = (content: { image?: string; text?: string }[]) => ({
    messages: [{ role: 'user', content }],
  })

  it('are generated from the contract’s format', () => {
    const request = encode('createImage', {
      model: 'm',
      input: input([{ text: 'A cat' }, { text: 'in the sun' }]),
      parameters: { n: 2, size: '1024*1536', watermark: false, prompt_extend: false },
    })
    expect(json(request)).toEqual({
      model: 'upstream-model',
      prompt: 'A cat\nin the sun',
      n: 2,
      size: '1024x1536',
    })
  })

  it('reject unsupported fields by the caller’s path', () => {
    const bad = { model: 'm', prompt: 'p', parameters: { negative_prompt: 'rain' } }
    expect(() => encode('createImage', bad)).toThrow(
      expect.objectContaining({ details: { param: 'parameters.negative_prompt' } }),
    )
    expect(() => encode('createImage', { model: 'm', prompt: 'p', seed: 7 })).toThrow('seed')
    const knowing = openaiLike({ images: { knows: ['seed'] } }).codecs.createImage!
    expect(
      json(knowing.encode({ model: 'm', prompt: 'p', seed: 7 }, codecContext())),
    ).toHaveProperty('seed', 7)
  })

  it('of the gpt-image models are always base64', () => {
    const gpt = { model: 'gpt-image-1' }
    const asked = { model: 'm', prompt: 'p', response_format: 'b64_json' as const }
    expect(json(encode('createImage', asked, gpt))).toEqual({ model: 'gpt-image-1', prompt: 'p' })
    expect(() => encode('createImage', { ...asked, response_format: 'url' }, gpt)).toThrow(
      'base64 only',
    )
    expect(json(encode('createImage', asked))).toHaveProperty('response_format', 'b64_json')
  })

  it('are edited as a form with fetched files', () => {
    const url = 'https://e.example/cat'
    const asked = {
      model: 'm',
      input: input([{ image: dataUrl }, { image: url }, { text: 'Add a hat' }]),
      parameters: { n: 1 },
    }
    expect(openai.codecs.editImage!.media?.(asked)).toEqual([
      { url, param: 'input.messages[0].content[1].image' },
    ])
    const media = new Map([[url, { bytes: Buffer.from('JPG'), contentType: 'image/jpeg' }]])
    expect(fields(encode('editImage', asked, { media }))).toEqual([
      ['model', 'upstream-model'],
      ['prompt', 'Add a hat'],
      ['n', '1'],
      ['image[]', 'image-1.webp image/webp WEBP'],
      ['image[]', 'image-2.jpg image/jpeg JPG'],
    ])
  })

  it('keep the names of uploads, and a single one is the field image', () => {
    const request = encode('editImage', {
      model: 'm',
      prompt: 'p',
      image: [png('cat.png')],
      mask: png('mask.png'),
    })
    expect(fields(request)).toEqual([
      ['model', 'upstream-model'],
      ['prompt', 'p'],
      ['image', 'cat.png image/png PNG'],
      ['mask', 'mask.png image/png PNG'],
    ])
  })

  it('stored by the upstream are referred to in JSON', () => {
    const asked = {
      model: 'm',
      prompt: 'p',
      images: [{ file_id: 'file-1' }, { image_url: 'https://e.example/a' }],
      mask: png('mask.png'),
    }
    expect(openai.codecs.editImage!.media?.(asked)).toEqual([])
    expect(json(encode('editImage', asked))).toEqual({
      model: 'upstream-model',
      prompt: 'p',
      images: asked.images,
      mask: { image_url: `data:image/png;base64,${Buffer.from('PNG').toString('base64')}` },
    })
  })
})

describe('videos', () => {
  it('are requested in JSON, or as a form with an image', () => {
    expect(json(encode('createVideo', { model: 'm', prompt: 'p', seconds: 8 }))).toEqual({
      model: 'upstream-model',
      prompt: 'p',
      seconds: '8',
    })
    const request = encode('createVideo', {
      model: 'm',
      prompt: 'p',
      input_reference: png('a.png'),
    })
    expect(fields(request)).toContainEqual(['input_reference', 'a.png image/png PNG'])
    const referred = { image_url: 'https://e.example/a' }
    expect(
      json(encode('createVideo', { model: 'm', prompt: 'p', input_reference: referred })),
    ).toHaveProperty('input_reference', referred)
  })

  it('are looked up and downloaded by the upstream’s id', () => {
    const given = { jobId: 'video/1' }
    expect(encode('getVideo', { id: 'task_9' }, given)).toEqual({
      method: 'GET',
      path: '/videos/video%2F1',
    })
    expect(encode('downloadVideo', { id: 'task_9', variant: 'thumbnail' }, given).path).toBe(
      '/videos/video%2F1/content?variant=thumbnail',
    )
    expect(openai.codecs.downloadVideo?.bytes).toBe(true)
  })

  it.each([
    [
      { status: 'queued', progress: 12 },
      { status: 'queued', progress: 0 },
    ],
    [
      { status: 'in_progress', progress: 33 },
      { status: 'in_progress', progress: 33 },
    ],
    [
      { status: 'completed', completed_at: 1_712_698_600 },
      { status: 'completed', progress: 100, completed_at: 1_712_698_600 },
    ],
    [
      { status: 'succeeded', url: 'https://e.example/v.mp4' },
      { status: 'completed', metadata: { url: 'https://e.example/v.mp4' } },
    ],
    [
      { status: 'failed', error: { code: 'moderation_blocked', message: 'No' } },
      { status: 'failed', error: { code: 'moderation_blocked', message: 'No' } },
    ],
    [
      { status: 'PROCESSING', progress: '45%', created_at: 1_712_697_600_000 },
      { status: 'in_progress', progress: 45, created_at: 1_712_697_600 },
    ],
  ])('have the state %j', (fields_, told) => {
    const body = {
      id: 'video_1',
      object: 'video',
      model: 'sora-2',
      seconds: '8',
      size: '720x1280',
      ...fields_,
    }
    const { reply, jobId } = openai.codecs.getVideo!.decode(
      received(JSON.stringify(body)),
      codecContext(),
      { id: 't' },
    )
    expect(jobId).toBe('video_1')
    expect(reply).toMatchObject({ model: 'public-model', seconds: '8', ...told })
  })
})
