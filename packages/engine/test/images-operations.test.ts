import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import { GatewayError } from '../../contract/src/core/errors.ts'
import type { EditImageRequest } from '../../contract/src/operations/edit-image.ts'
import type { ResultOf } from '../../contract/src/operations/index.ts'
import { Network } from '../../gateway/src/dial/network.ts'
import { createMediaFetcher } from '../../gateway/src/media/fetch-media.ts'
import { type OperationContext, operationContext } from '../src/engine.ts'
import { createImage, editImage } from '../src/images/image-operations.ts'
import { WorkerPool } from '../src/workers/pool.ts'

const workers = new WorkerPool({ size: 1 })
afterAll(() => workers[Symbol.asyncDispose]())

const published = new Map<string, Uint8Array>()
const fetchMedia = createMediaFetcher({ network: new Network() })

const context: OperationContext = {
  model: 'builtin-image',
  key: 'key_1',
  signal: new AbortController().signal,
  workers,
  fetchMedia: (url, options) => fetchMedia(url, { ...options, timeoutMs: 5000 }),
  publish(bytes, contentType) {
    const url = `https://gateway.example/images/${published.size}.${contentType.split('/')[1]}`
    published.set(url, bytes)
    return url
  },
  now: () => 1_760_000_000_500,
  newId: (prefix) => `${prefix}_1`,
  random: () => 0.5,
}

const png = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#c33' } })
  .png()
  .toBuffer()
const dataUrl = `data:image/png;base64,${png.toString('base64')}`
const file = { filename: 'a.png', contentType: 'image/png', bytes: png }

function contractForm(
  parameters: object = {},
  content: object[] = [{ image: dataUrl }, { text: 'grayscale' }],
) {
  return { model: 'qwen-image-edit', input: { messages: [{ role: 'user', content }] }, parameters }
}

type Reply = Extract<ResultOf<'editImage'>, { kind: 'reply' }>

async function reply(work: Promise<ResultOf<'editImage'>>): Promise<Reply> {
  const result = await work
  expect(result.kind).toBe('reply')
  return result as Reply
}

async function refusal(work: Promise<unknown>): Promise<GatewayError> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(thrown).toBeInstanceOf(GatewayError)
  return thrown as GatewayError
}

/** OpenAI API, ImagesResponse with Image and ImageGenUsage, as its published description has them. */
const openAiSchema = {
  type: 'object',
  required: ['created'],
  properties: {
    created: { type: 'integer' },
    data: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          b64_json: { type: 'string' },
          url: { type: 'string', format: 'uri' },
          revised_prompt: { type: 'string' },
        },
      },
    },
    background: { enum: ['transparent', 'opaque'] },
    output_format: { enum: ['png', 'webp', 'jpeg'] },
    size: { enum: ['1024x1024', '1024x1536', '1536x1024'] },
    quality: { enum: ['low', 'medium', 'high'] },
    usage: {
      type: 'object',
      required: ['input_tokens', 'output_tokens', 'total_tokens', 'input_tokens_details'],
      properties: {
        input_tokens_details: { type: 'object', required: ['text_tokens', 'image_tokens'] },
      },
    },
  },
} as const
const ajv = new Ajv()
addFormats.default(ajv)
const isOpenAi = ajv.compile(openAiSchema)

describe('the image edit operation', () => {
  test('answers the contract’s format with URLs, one entry per image', async () => {
    const { reply: body, usage } = await reply(editImage(contractForm({ n: 2 }), context))
    expect(body.created).toBe(1_760_000_000)
    expect(body.data).toHaveLength(2)
    for (const entry of body.data) {
      expect(entry).toEqual({
        url: expect.stringMatching(/^https:\/\/gateway\.example\/images\/\d+\.png$/),
        b64_json: '',
        revised_prompt: 'Done: grayscale. Variants after the first are a little lighter or darker.',
      })
      expect((await sharp(published.get(entry.url!)).metadata()).width).toBe(40)
    }
    expect(isOpenAi(body), JSON.stringify(isOpenAi.errors)).toBe(true)
    expect(usage.images).toBe(2)
  })

  test('applies prompt_extend, watermark and negative_prompt', async () => {
    const plain = await reply(editImage(contractForm({ prompt_extend: false }), context))
    expect(plain.reply.data[0]!.revised_prompt).toBe('')
    const marked = await reply(editImage(contractForm({ watermark: true }), context))
    expect(published.get(marked.reply.data[0]!.url!)).not.toEqual(
      published.get(plain.reply.data[0]!.url!),
    )
    const less = await reply(editImage(contractForm({ negative_prompt: 'monochrome' }), context))
    expect(less.reply.data[0]!.revised_prompt).toContain('Left out')
    const sized = await reply(editImage(contractForm({ size: '64*80' }), context))
    const { width, height } = await sharp(published.get(sized.reply.data[0]!.url!)).metadata()
    expect([width, height]).toEqual([64, 80])
  })

  test('answers OpenAI’s multipart format in base64', async () => {
    const request: EditImageRequest = {
      model: 'gpt-image-1',
      prompt: 'rotate 90',
      image: [file],
      output_format: 'webp',
    }
    const { reply: body } = await reply(editImage(request, context))
    const { format, width } = await sharp(Buffer.from(body.data[0]!.b64_json!, 'base64')).metadata()
    expect([format, width]).toEqual(['webp', 30])
    expect(body.output_format).toBe('webp')
    expect(isOpenAi(body), JSON.stringify(isOpenAi.errors)).toBe(true)
  })

  test('follows response_format in any request format', async () => {
    const asUrl: EditImageRequest = {
      model: 'm',
      prompt: 'blur',
      image: [file],
      response_format: 'url',
    }
    expect((await reply(editImage(asUrl, context))).reply.data[0]!.b64_json).toBe('')
    const asBytes = { ...contractForm(), response_format: 'b64_json' } as const
    expect((await reply(editImage(asBytes, context))).reply.data[0]!.b64_json).not.toBe('')
  })

  test('accepts OpenAI’s JSON format with references and a mask', async () => {
    const hole = await sharp({
      create: { width: 40, height: 30, channels: 4, background: '#0000' },
    })
      .png()
      .toBuffer()
    const request: EditImageRequest = {
      model: 'm',
      prompt: 'invert',
      images: [{ image_url: dataUrl }],
      mask: { image_url: `data:image/png;base64,${hole.toString('base64')}` },
      background: 'opaque',
    }
    const { reply: body } = await reply(editImage(request, context))
    expect(body.background).toBe('opaque')
    expect(body.usage).toMatchObject({ input_tokens_details: { image_tokens: 2 } })
  })

  test.each<[string, EditImageRequest, string]>([
    [
      'a broken data URL',
      contractForm({}, [{ image: 'data:image/png;base64,@@' }, { text: 'x' }]),
      'input.messages[0].content[0].image',
    ],
    [
      'no image at all',
      contractForm({}, [{ text: 'x' }, { image: 'data:,hello' }]),
      'input.messages[0].content[1].image',
    ],
    [
      'a private address',
      contractForm({}, [{ image: 'http://127.0.0.1/a.png' }, { text: 'x' }]),
      'input.messages[0].content[0].image',
    ],
    [
      'a file id',
      { model: 'm', prompt: 'x', images: [{ file_id: 'file-1' }] },
      'images[0].file_id',
    ],
    [
      'a broken upload',
      { model: 'm', prompt: 'x', image: [file, { ...file, bytes: png.subarray(0, 40) }] },
      'image[1]',
    ],
    ['a size too large', { model: 'm', prompt: 'x', image: [file], size: '9000x64' }, 'size'],
    ['a size too small', contractForm({ size: '64*63' }), 'parameters.size'],
    [
      'a transparent jpeg',
      {
        model: 'm',
        prompt: 'x',
        image: [file],
        output_format: 'jpeg',
        background: 'transparent',
      } as const,
      'background',
    ],
  ])('rejects %s', async (_name, request, param) => {
    const error = await refusal(editImage(request, context))
    expect(error.status).toBe(400)
    expect(error.details.param).toBe(param)
  })

  test('rejects an upload over 50 MB', async () => {
    const bytes = new Uint8Array(50 * 1024 * 1024 + 1)
    const error = await refusal(
      editImage({ model: 'm', prompt: 'x', image: [{ ...file, bytes }] }, context),
    )
    expect([error.status, error.details.param]).toEqual([413, 'image'])
  })

  test('streams previews, the image and usage', async () => {
    const request: EditImageRequest = {
      model: 'm',
      prompt: 'blur',
      image: [file],
      stream: true,
      partial_images: 2,
    }
    const result = await editImage(request, context)
    expect(result.kind).toBe('events')
    const steps = []
    if (result.kind === 'events') for await (const step of result.events) steps.push(step)
    const events = steps.flatMap((step) => ('event' in step ? [step.event] : []))
    expect(events.map(({ type }) => type)).toEqual([
      'image_edit.partial_image',
      'image_edit.partial_image',
      'image_edit.completed',
    ])
    expect(events.map((event) => event['partial_image_index'])).toEqual([0, 1, undefined])
    for (const event of events)
      expect(Object.keys(event)).toEqual(
        expect.arrayContaining([
          'b64_json',
          'created_at',
          'size',
          'quality',
          'background',
          'output_format',
        ]),
      )
    expect(events[2]).toMatchObject({ size: 'auto', usage: { total_tokens: expect.any(Number) } })
    expect(steps.at(-1)).toHaveProperty('usage.images', 1)
  })

  test('stops when the caller disconnects', async () => {
    const leaving = new AbortController()
    const own = operationContext({ ...context, signal: leaving.signal }, workers)
    const work = refusal(editImage(contractForm({ n: 6 }), own))
    leaving.abort()
    expect((await work).code).toBe('cancelled')
  })
})

describe('the image generation operation', () => {
  test('answers 1024x1024 in base64 by default', async () => {
    const { reply: body } = await reply(
      createImage({ model: 'm', prompt: 'a red circle' }, context),
    )
    const { width, height } = await sharp(Buffer.from(body.data[0]!.b64_json!, 'base64')).metadata()
    expect([width, height, body.size]).toEqual([1024, 1024, '1024x1024'])
    expect(isOpenAi(body), JSON.stringify(isOpenAi.errors)).toBe(true)
  })

  test('accepts the contract’s format', async () => {
    const content = [{ text: 'three green stars under a tree' }]
    const request = contractForm({ n: 2, size: '128*64', prompt_extend: true }, content)
    const { reply: body } = await reply(createImage(request, context))
    expect(body.data.map(({ revised_prompt }) => revised_prompt)).toEqual(
      Array(2).fill(
        'Drawn: the words of the prompt, the background color. Left out: three green stars under a tree.',
      ),
    )
    expect((await sharp(published.get(body.data[1]!.url!)).metadata()).width).toBe(128)
  })

  test('names its stream events image_generation', async () => {
    const request: EditImageRequest = { model: 'm', prompt: 'a sun', size: '64x64', stream: true }
    const result = await createImage(request, context)
    const types = []
    if (result.kind === 'events')
      for await (const step of result.events) if ('event' in step) types.push(step.event.type)
    expect(types).toEqual(['image_generation.completed'])
  })
})
