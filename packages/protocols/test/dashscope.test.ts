import { describe, expect, test } from 'vitest'
import { codecContext, fixedNow, received } from '../../../test/support/codec-context.ts'
import { GatewayError } from '../../contract/src/core/errors.ts'
import type { EditImageRequest } from '../../contract/src/operations/edit-image.ts'
import { dashscope } from '../src/dashscope/index.ts'

const { editImage, createImage, createVideo, getVideo, downloadVideo, rerank, chat } =
  dashscope.codecs
const now = fixedNow / 1000
const bodyOf = (request: { readonly body?: unknown }) =>
  (request.body as { value: Record<string, never> }).value
const answer = (body: object, status = 200) => received(JSON.stringify(body), { status })

describe('images', () => {
  const input = {
    messages: [{ role: 'user', content: [{ image: 'https://x/a.png' }, { text: 'Blue' }] }],
  }
  const edited = (fields: Partial<EditImageRequest>) =>
    bodyOf(
      editImage!.encode({ model: 'm', ...fields }, codecContext({ model: 'qwen-image-edit-plus' })),
    )

  test('pass the contract’s format unchanged, with the negative prompt', () => {
    const parameters = {
      n: 2,
      negative_prompt: 'red',
      prompt_extend: false,
      watermark: true,
      size: '512x768',
    }
    expect(edited({ input, parameters })).toEqual({
      model: 'qwen-image-edit-plus',
      input,
      parameters: { ...parameters, size: '512*768' },
    })
  })

  test('combine uploads and references in one message', () => {
    const file = { filename: 'a.png', contentType: 'image/png', bytes: new Uint8Array([1, 2, 3]) }
    const content = [{ image: 'data:image/png;base64,AQID' }, { text: 'Blue' }]
    expect(
      edited({ image: [file], prompt: 'Blue', n: 1, size: '1024x1024', background: 'auto' }),
    ).toEqual({
      model: 'qwen-image-edit-plus',
      input: { messages: [{ role: 'user', content }] },
      parameters: { n: 1, size: '1024*1024' },
    })
    expect(edited({ images: [{ image_url: 'https://x/a.png' }], prompt: 'Blue' })['input']).toEqual(
      input,
    )
  })

  test.each<[string, Partial<EditImageRequest>]>([
    ['quality', { quality: 'high' }],
    ['output_format', { output_format: 'webp' }],
    ['response_format', { response_format: 'b64_json' }],
    ['images[0].file_id', { images: [{ file_id: 'f' }] }],
    ['mask', { mask: { image_url: 'https://x/m.png' } }],
  ])('%s is rejected', (param, fields) => {
    expect(() => edited({ prompt: 'x', ...fields })).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ param }) as unknown }),
    )
  })

  test('return every image of the choice, and a text as the revised prompt', () => {
    const body = {
      output: {
        choices: [
          {
            message: {
              content: [{ image: 'https://a/1.png' }, { text: 'bluer' }, { image: 'AAAA' }],
            },
          },
        ],
      },
      usage: { image_count: 2, width: 512, height: 256 },
      request_id: 'r',
    }
    expect(editImage!.decode(answer(body), codecContext(), { model: 'm', prompt: 'x' })).toEqual({
      reply: {
        created: now,
        data: [
          { url: 'https://a/1.png', b64_json: null, revised_prompt: 'bluer' },
          { url: null, b64_json: 'AAAA', revised_prompt: 'bluer' },
        ],
        size: '512x256',
      },
      usage: { inputTokens: 0, outputTokens: 0, images: 2 },
    })
  })

  test('send a prompt as a message with one text', () => {
    const { value } = createImage!.encode({ model: 'm', prompt: 'A cat' }, codecContext()).body as {
      value: object
    }
    expect(value).toMatchObject({
      input: { messages: [{ role: 'user', content: [{ text: 'A cat' }] }] },
    })
  })

  test.each([
    ['Throttling.RateQuota', 'upstream_rate_limited'],
    ['InvalidApiKey', 'upstream_refused_us'],
    ['Arrearage', 'upstream_refused_us'],
    ['DataInspectionFailed', 'upstream_rejected'],
    ['InvalidParameter', 'upstream_rejected'],
    ['InternalError', 'upstream_unavailable'],
  ])('map %s with status 200 to %s', (code, expected) => {
    const body = answer({ code, message: 'no', request_id: 'r-1' })
    const thrown = (() => {
      try {
        return editImage!.decode(body, codecContext(), { model: 'm' })
      } catch (error) {
        return error
      }
    })()
    expect(thrown).toBeInstanceOf(GatewayError)
    expect(thrown).toMatchObject({
      code: expected,
      message: 'no',
      details: { upstreamCode: code, upstreamRequestId: 'r-1' },
    })
  })
})

describe('video', () => {
  const created = (fields: object) =>
    createVideo!.encode(
      { model: 'm', prompt: 'Sea', ...fields },
      codecContext({ model: 'wan2.5-t2v' }),
    )

  test('starts as an asynchronous task', () => {
    const request = created({ size: '1280x720', seconds: '8' })
    expect(request.headers).toEqual({ 'x-dashscope-async': 'enable' })
    expect(bodyOf(request)).toEqual({
      model: 'wan2.5-t2v',
      input: { prompt: 'Sea' },
      parameters: { size: '1280*720', duration: 8 },
    })
    const image = { filename: 'a.jpg', contentType: 'image/jpeg', bytes: new Uint8Array([255]) }
    expect(bodyOf(created({ input_reference: image, size: '1080x1920' }))).toMatchObject({
      input: { img_url: 'data:image/jpeg;base64,/w==' },
      parameters: { resolution: '1080P' },
    })
    const decoded = createVideo!.decode(
      answer({ output: { task_id: 't-1', task_status: 'PENDING' } }),
      codecContext(),
      { model: 'm', prompt: 'Sea' },
    )
    expect(decoded).toMatchObject({
      jobId: 't-1',
      reply: { status: 'queued', progress: 0, prompt: 'Sea' },
    })
  })

  test.each([
    ['PENDING', 'queued', 0],
    ['RUNNING', 'in_progress', 0],
    ['FAILED', 'failed', 0],
    ['CANCELED', 'failed', 0],
    ['UNKNOWN', 'failed', 0],
  ])('maps the state %s to %s', (word, status, progress) => {
    const context = codecContext({ jobId: 't-1' })
    expect(getVideo!.encode({ id: 'v' }, context).path).toBe('/api/v1/tasks/t-1')
    const { reply } = getVideo!.decode(
      answer({ output: { task_id: 't-1', task_status: word, code: 'E', message: 'why' } }),
      context,
      { id: 'v' },
    )
    const error = status === 'failed' ? { code: 'E', message: 'why' } : null
    expect(reply).toMatchObject({ id: 'v', status, progress, error })
  })

  test('that is finished is downloaded from its URL without credentials', () => {
    const clip = 'http://store.example/clip.mp4?Signature=s'
    const { reply, jobId, usage } = getVideo!.decode(
      answer({
        output: { task_id: 't-1', task_status: 'SUCCEEDED', video_url: clip },
        usage: { video_duration: 5 },
      }),
      codecContext({ jobId: 't-1' }),
      { id: 'v' },
    )
    expect(reply).toMatchObject({
      status: 'completed',
      progress: 100,
      seconds: '5',
      metadata: { url: clip },
    })
    expect(usage?.seconds).toBe(5)
    const download = downloadVideo!.encode({ id: 'v' }, codecContext({ jobId: jobId! }))
    expect(download.elsewhere).toBe('https://store.example/clip.mp4?Signature=s')
    expect(() => downloadVideo!.encode({ id: 'v' }, codecContext({ jobId: 't-1' }))).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    )
  })
})

test('translates reranking', () => {
  const request = { model: 'm', query: 'q', documents: ['a', { text: 'b' }], top_n: 1 }
  expect(bodyOf(rerank!.encode(request, codecContext({ model: 'gte-rerank-v2' })))).toEqual({
    model: 'gte-rerank-v2',
    input: { query: 'q', documents: ['a', 'b'] },
    parameters: { return_documents: false, top_n: 1 },
  })
  const { reply, usage } = rerank!.decode(
    answer({
      output: { results: [{ index: 1, relevance_score: 0.5 }] },
      usage: { total_tokens: 7 },
      request_id: 'r',
    }),
    codecContext(),
    request,
  )
  expect(reply).toMatchObject({
    id: 'r',
    results: [{ index: 1, relevance_score: 0.5, document: { text: 'b' } }],
  })
  expect(usage).toEqual({ inputTokens: 7, outputTokens: 0 })
})

test('sends chat to the compatible path, translated or unchanged', () => {
  const request = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] }
  const path = '/compatible-mode/v1/chat/completions'
  expect(chat!.encode(request, codecContext()).path).toBe(path)
  const body = new TextEncoder().encode('{}')
  const native = dashscope.native.chat!.request({
    body,
    model: 'm',
    stream: false,
    headers: {},
    query: '',
    settings: {},
  })
  expect(native.path).toBe(path)
  expect(dashscope.models?.path).toBe('/compatible-mode/v1/models')
})

test('parses native and compatible error bodies', () => {
  expect(
    dashscope.failure(answer({ code: 'Throttling', message: 'slow', request_id: 'r' }, 429)),
  ).toEqual({
    message: 'slow',
    code: 'Throttling',
  })
  expect(
    dashscope.failure(answer({ error: { message: 'bad', code: 'invalid', param: 'n' } }, 400)),
  ).toEqual({
    message: 'bad',
    code: 'invalid',
    param: 'n',
  })
})
