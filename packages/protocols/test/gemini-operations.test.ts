import { describe, expect, test } from 'vitest'
import { codecContext, fixedNow, received } from '../../../test/support/codec-context.ts'
import { GatewayError } from '../../contract/src/core/errors.ts'
import type { CreateImageRequest } from '../../contract/src/operations/create-image.ts'
import type { EmbedRequest } from '../../contract/src/operations/embed.ts'
import { validate } from '../../contract/src/operations/validate.ts'
import { Video } from '../../contract/src/operations/video.ts'
import { gemini, vertex } from '../src/gemini/index.ts'
import type { UpstreamRequest } from '../src/protocol.ts'

const { embed, createImage, editImage, createVideo, getVideo, downloadVideo } = gemini.codecs
const settings = { project: 'my-project', region: 'europe-west1' }

function json({ body }: UpstreamRequest): unknown {
  return (body as { value: unknown }).value
}

function paramOf(action: () => unknown): string | undefined {
  try {
    action()
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown.details.param
    throw thrown
  }
  return undefined
}

describe('embeddings', () => {
  const context = codecContext({ model: 'gemini-embedding-001' })
  const two: EmbedRequest = { model: 'e', input: ['a', 'b'], dimensions: 2, input_type: 'query' }

  test('are sent as one batch', () => {
    const sent = embed!.encode(two, context)
    expect(sent.path).toBe('/v1beta/models/gemini-embedding-001:batchEmbedContents')
    const one = (text: string) => ({
      model: 'models/gemini-embedding-001',
      content: { parts: [{ text }] },
      taskType: 'RETRIEVAL_QUERY',
      outputDimensionality: 2,
    })
    expect(json(sent)).toEqual({ requests: [one('a'), one('b')] })
  })

  test('return vectors as numbers or as base64', () => {
    const answer = received('{"embeddings":[{"values":[1,-0.5]},{"values":[0,2]}]}')
    const { reply, usage } = embed!.decode(answer, context, two)
    expect(reply.data.map(({ embedding }) => embedding)).toEqual([
      [1, -0.5],
      [0, 2],
    ])
    expect(usage).toBeUndefined()
    const encoded = embed!.decode(answer, context, { ...two, encoding_format: 'base64' }).reply
    const bytes = Buffer.from(String(encoded.data[0]?.embedding), 'base64')
    expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([1, -0.5])
  })

  test('reject an answer with too few vectors', () => {
    const answer = received('{"embeddings":[{"values":[1]}]}')
    expect(() => embed!.decode(answer, context, two)).toThrowError(
      expect.objectContaining({ code: 'upstream_garbled' }),
    )
  })

  test('reject token ids and unknown input types', () => {
    expect(paramOf(() => embed!.encode({ model: 'e', input: [1, 2] }, context))).toBe('input')
    expect(
      paramOf(() => embed!.encode({ model: 'e', input: 'a', input_type: 'poem' }, context)),
    ).toBe('input_type')
  })

  test('use Vertex’s predict method with usage', () => {
    const codec = vertex.codecs.embed!
    const place = codecContext({ model: 'text-embedding-005', settings })
    const sent = codec.encode(two, place)
    expect(sent.path).toBe(
      '/v1/projects/my-project/locations/europe-west1/publishers/google/models/text-embedding-005:predict',
    )
    expect(json(sent)).toEqual({
      instances: [
        { content: 'a', task_type: 'RETRIEVAL_QUERY' },
        { content: 'b', task_type: 'RETRIEVAL_QUERY' },
      ],
      parameters: { outputDimensionality: 2 },
    })
    const prediction = { embeddings: { values: [1, 2], statistics: { token_count: 3 } } }
    const answer = received(JSON.stringify({ predictions: [prediction, prediction] }))
    const { reply, usage } = codec.decode(answer, place, two)
    expect(reply.usage).toEqual({ prompt_tokens: 6, total_tokens: 6 })
    expect(usage).toEqual({ inputTokens: 6, outputTokens: 0 })
  })
})

describe('images', () => {
  const imagen = codecContext({ model: 'imagen-4.0-generate-001' })
  const flash = codecContext({ model: 'gemini-2.5-flash-image' })
  const pro = codecContext({ model: 'gemini-3-pro-image-preview' })
  const ask: CreateImageRequest = { model: 'i', prompt: 'A gate', size: '1024x1024' }

  test('use Imagen’s predict method', () => {
    const sent = createImage!.encode({ ...ask, n: 2, output_format: 'jpeg' }, imagen)
    expect(sent.path).toBe('/v1beta/models/imagen-4.0-generate-001:predict')
    expect(json(sent)).toEqual({
      instances: [{ prompt: 'A gate' }],
      parameters: {
        sampleCount: 2,
        aspectRatio: '1:1',
        sampleImageSize: '1K',
        outputOptions: { mimeType: 'image/jpeg' },
      },
    })
    const answer = received(
      '{"predictions":[{"bytesBase64Encoded":"AAAA","mimeType":"image/png","prompt":"A red gate"}]}',
    )
    const { reply, usage } = createImage!.decode(answer, imagen, ask)
    expect(reply).toEqual({
      created: fixedNow / 1000,
      data: [{ url: null, b64_json: 'AAAA', revised_prompt: 'A red gate' }],
    })
    expect(usage).toEqual({ inputTokens: 0, outputTokens: 0, images: 1 })
  })

  test('are among Gemini’s parts', () => {
    const sent = createImage!.encode({ ...ask, size: '2048x1152', seed: 3 }, pro)
    expect(sent.path).toBe('/v1beta/models/gemini-3-pro-image-preview:generateContent')
    expect(json(sent)).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'A gate' }] }],
      generationConfig: {
        responseModalities: ['TEXT', 'IMAGE'],
        seed: 3,
        imageConfig: { aspectRatio: '16:9', imageSize: '2K' },
      },
    })
    const parts = [{ text: 'Here' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }]
    const body = {
      candidates: [{ content: { parts }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 1290 },
    }
    const url = createImage!.decode(received(JSON.stringify(body)), pro, {
      ...ask,
      response_format: 'url',
    })
    expect(url.reply.data).toEqual([
      { url: 'data:image/png;base64,AAAA', b64_json: null, revised_prompt: null },
    ])
    expect(url.usage).toEqual({ inputTokens: 4, outputTokens: 1290, images: 1 })
  })

  test.each<[string, Partial<CreateImageRequest>, string]>([
    ['a shape nobody draws', { size: '1000x300' }, 'size'],
    ['more pixels than the model has', { size: '4096x4096' }, 'size'],
    ['quality', { quality: 'high' }, 'quality'],
    ['a transparent background', { background: 'transparent' }, 'background'],
    ['a file format', { output_format: 'webp' }, 'output_format'],
    ['what not to draw', { parameters: { negative_prompt: 'rust' } }, 'parameters.negative_prompt'],
  ])('reject %s', (_name, fields, param) => {
    expect(paramOf(() => createImage!.encode({ ...ask, ...fields }, flash))).toBe(param)
  })

  test('blocked for safety are the caller’s error', () => {
    const blocked = { candidates: [{ content: {}, finishReason: 'IMAGE_SAFETY' }] }
    expect(() => createImage!.decode(received(JSON.stringify(blocked)), flash, ask)).toThrowError(
      expect.objectContaining({ code: 'content_blocked' }),
    )
    const silent = { candidates: [{ content: { parts: [{ text: 'No.' }] }, finishReason: 'STOP' }] }
    expect(() => createImage!.decode(received(JSON.stringify(silent)), flash, ask)).toThrowError(
      expect.objectContaining({ code: 'upstream_garbled' }),
    )
  })

  test('are edited from uploads, data URLs and fetched images', () => {
    const url = 'https://example.com/a.png'
    const request = {
      model: 'i',
      prompt: 'Make it blue',
      image: [{ filename: 'a.png', contentType: 'image/png', bytes: Buffer.from('a') }],
      images: [{ image_url: 'data:image/webp;base64,BBBB' }, { image_url: url }],
    }
    expect(editImage!.media?.(request)).toEqual([{ url, param: 'images[1].image_url' }])
    const media = new Map([[url, { bytes: Buffer.from('c'), contentType: 'image/gif' }]])
    const sent = json(editImage!.encode(request, { ...flash, media })) as {
      readonly contents: readonly { readonly parts: unknown }[]
    }
    expect(sent.contents[0]?.parts).toEqual([
      { inlineData: { mimeType: 'image/png', data: 'YQ==' } },
      { inlineData: { mimeType: 'image/webp', data: 'BBBB' } },
      { inlineData: { mimeType: 'image/gif', data: 'Yw==' } },
      { text: 'Make it blue' },
    ])
    const mask = { image_url: 'data:image/png;base64,AAAA' }
    expect(paramOf(() => editImage!.encode({ ...request, mask }, { ...flash, media }))).toBe('mask')
  })
})

describe('videos', () => {
  const context = codecContext({ model: 'veo-3.1-generate-preview', publicModel: 'veo' })
  const operation = 'models/veo-3.1-generate-preview/operations/abc123'

  test('start as a long-running operation', () => {
    const request = { model: 'veo', prompt: 'A gate opens', size: '1080x1920', seconds: '6' }
    const sent = createVideo!.encode(request, context)
    expect(sent.path).toBe('/v1beta/models/veo-3.1-generate-preview:predictLongRunning')
    expect(json(sent)).toEqual({
      instances: [{ prompt: 'A gate opens' }],
      parameters: { aspectRatio: '9:16', resolution: '1080p', durationSeconds: 6 },
    })
    const { reply, jobId } = createVideo!.decode(
      received(JSON.stringify({ name: operation })),
      context,
      request,
    )
    expect(validate(Video, reply)).toMatchObject({
      model: 'veo',
      status: 'queued',
      seconds: '6',
      size: '1080x1920',
    })
    expect(jobId).toBe(operation)
  })

  test('may start from an image; other sizes are rejected', () => {
    const reference = { filename: 'a.png', contentType: 'image/png', bytes: Buffer.from('a') }
    const request = { model: 'veo', prompt: 'p', input_reference: reference }
    expect(json(createVideo!.encode(request, context))).toEqual({
      instances: [{ prompt: 'p', image: { bytesBase64Encoded: 'YQ==', mimeType: 'image/png' } }],
    })
    expect(
      paramOf(() => createVideo!.encode({ model: 'veo', prompt: 'p', size: '640x640' }, context)),
    ).toBe('size')
  })

  const look = (body: unknown, jobId = operation) =>
    getVideo!.decode(received(JSON.stringify(body)), { ...context, jobId }, { id: 'video_1' })

  test.each<[string, object, object]>([
    ['under way', { name: operation }, { status: 'in_progress', progress: 0, error: null }],
    [
      'failed',
      { done: true, error: { code: 13, message: 'Internal' } },
      { status: 'failed', error: { code: 'generation_failed', message: 'Internal' } },
    ],
    [
      'filtered',
      {
        done: true,
        response: {
          generateVideoResponse: {
            raiMediaFilteredCount: 1,
            raiMediaFilteredReasons: ['Celebrity'],
          },
        },
      },
      { status: 'failed', error: { code: 'content_policy_violation', message: 'Celebrity' } },
    ],
  ])('have a status: %s', (_name, body, expected) => {
    const { reply, jobId } = look(body)
    expect(validate(Video, reply)).toMatchObject({ id: 'video_1', ...expected })
    expect(jobId).toBe(operation)
  })

  test('are downloaded from the URI of the finished operation', () => {
    const uri = 'https://generativelanguage.googleapis.com/v1beta/files/xyz:download?alt=media'
    const samples = { generatedSamples: [{ video: { uri } }] }
    const { reply, jobId } = look({ done: true, response: { generateVideoResponse: samples } })
    expect(reply).toMatchObject({ status: 'completed', progress: 100, metadata: { url: uri } })
    const done = { ...context, jobId: jobId! }
    expect(downloadVideo!.encode({ id: 'video_1' }, done)).toEqual({
      method: 'GET',
      path: '/v1beta/files/xyz:download?alt=media',
    })
    expect(getVideo!.encode({ id: 'video_1' }, done).path).toBe(`/v1beta/${operation}`)
    expect(paramOf(() => downloadVideo!.encode({ id: 'v', variant: 'thumbnail' }, done))).toBe(
      'variant',
    )
    expect(() => downloadVideo!.encode({ id: 'v' }, { ...context, jobId: operation })).toThrowError(
      expect.objectContaining({ code: 'conflict' }),
    )
  })
})

describe('Gemini’s own format', () => {
  const call = {
    body: Buffer.from('{"contents": [ ], "x":9007199254740993}'),
    model: 'gemini-2.5-flash',
    stream: true,
    headers: {},
    query: 'alt=sse',
    settings,
  }

  test('passes unchanged, including the query', () => {
    const { streamGenerateContent: native } = gemini.native
    const sent = native!.request(call)
    expect(sent.path).toBe('/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse')
    expect(sent.body).toMatchObject({ kind: 'bytes', bytes: call.body })
    const framing = native!.framing as (query: string) => string
    expect(framing('alt=sse')).toBe('sse')
    expect(framing('')).toBe('json-array')
    expect(vertex.native.generateContent!.request({ ...call, query: '' }).path).toBe(
      '/v1/projects/my-project/locations/europe-west1/publishers/google/models/gemini-2.5-flash:generateContent',
    )
  })

  test('sets the upstream’s model in embedding requests', () => {
    const body = Buffer.from('{"requests":[{"model":"models/public","content":{"parts":[]}}]}')
    const { batchEmbedContents: native } = gemini.native
    const sent = native!.request({ ...call, body, model: 'gemini-embedding-001', query: '' })
    const { bytes } = sent.body as { readonly bytes: Uint8Array }
    expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({
      requests: [{ model: 'models/gemini-embedding-001', content: { parts: [] } }],
    })
  })

  test('escapes model names in the path', () => {
    const { generateContent: native } = gemini.native
    const path = native!.request({ ...call, model: '../files?x=#', query: '' }).path
    expect(path).toBe('/v1beta/models/..%2Ffiles%3Fx%3D%23:generateContent')
    expect(native!.request({ ...call, model: 'tunedModels/mine', query: '' }).path).toBe(
      '/v1beta/tunedModels/mine:generateContent',
    )
  })

  test('lists models with their limits', () => {
    const cards = gemini.models!.decode({
      models: [
        {
          name: 'models/gemini-2.5-flash',
          displayName: 'Gemini 2.5 Flash',
          inputTokenLimit: 1_048_576,
          outputTokenLimit: 65_536,
        },
        { displayName: 'nameless' },
      ],
    })
    expect(cards).toEqual([
      {
        id: 'gemini-2.5-flash',
        displayName: 'Gemini 2.5 Flash',
        inputTokenLimit: 1_048_576,
        outputTokenLimit: 65_536,
      },
    ])
  })

  test('reports the usage of whole answers', () => {
    const { usage } = gemini.native.generateContent!.inspect({}).read({
      usageMetadata: {
        promptTokenCount: 100,
        cachedContentTokenCount: 40,
        candidatesTokenCount: 7,
        thoughtsTokenCount: 5,
        toolUsePromptTokenCount: 11,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 60 },
          { modality: 'IMAGE', tokenCount: 30 },
          { modality: 'AUDIO', tokenCount: 10 },
        ],
        candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 2 }],
      },
    })
    expect(usage).toEqual({
      inputTokens: 111,
      outputTokens: 12,
      cachedInputTokens: 40,
      reasoningTokens: 5,
      audioInputTokens: 10,
      imageInputTokens: 30,
      audioOutputTokens: 2,
    })
  })
})
