import { describe, expect, it } from 'vitest'
import { passes } from '../../../test/support/passes.ts'
import { codecContext, received } from '../../../test/support/codec-context.ts'
import type { OperationName, RequestOf } from '../../contract/src/operations/index.ts'
import { azureDeployments } from '../src/openai/azure.ts'
import { openai, openaiLike } from '../src/openai/index.ts'
import { compatibleRerank } from '../src/openai/upstream/rerank.ts'
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

const file = { filename: 'a.flac', contentType: 'audio/flac', bytes: Buffer.from('fLaC') }

describe('transcriptions', () => {
  it('are forms that keep the file name', () => {
    const request = encode('transcribe', {
      model: 'm',
      file,
      language: 'de',
      temperature: 0.2,
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
      chunking_strategy: { type: 'server_vad', threshold: 0.5 },
      prompt: null,
    })
    expect(request.path).toBe('/audio/transcriptions')
    expect(fields(request)).toEqual([
      ['file', 'a.flac audio/flac fLaC'],
      ['model', 'upstream-model'],
      ['language', 'de'],
      ['temperature', '0.2'],
      ['response_format', 'verbose_json'],
      ['timestamp_granularities[]', 'word'],
      ['timestamp_granularities[]', 'segment'],
      ['chunking_strategy', '{"type":"server_vad","threshold":0.5}'],
    ])
  })

  it.each(['text', 'srt', 'vtt'] as const)('pass %s unchanged', (format) => {
    const answer = received('WEBVTT\n\n', { contentType: 'text/plain' })
    const decoded = openai.codecs.transcribe!.decode(answer, codecContext(), {
      model: 'm',
      file,
      response_format: format,
    })
    expect(decoded).toEqual({ reply: { text: 'WEBVTT\n\n' }, passBytes: true })
  })

  it('stream typed events with usage in the last', () => {
    const stream = openai.codecs.transcribe!.stream!
    const events = [
      { type: 'transcript.text.delta', delta: 'Hel' },
      {
        type: 'transcript.text.done',
        text: 'Hello',
        usage: {
          type: 'tokens',
          input_tokens: 9,
          output_tokens: 2,
          total_tokens: 11,
          input_token_details: { audio_tokens: 9 },
        },
      },
    ].map((data) => ({ event: '', data: JSON.stringify(data) }))
    const watch = stream.watcher()
    expect(events.map((event) => watch.see(event))).toEqual(['content', 'finish'])
    expect(watch.usage()).toEqual({ inputTokens: 9, outputTokens: 2, audioInputTokens: 9 })
    const read = stream.reader(codecContext(), { model: 'm', file })
    expect(events.flatMap((event) => read.read(event))).toMatchObject([
      { event: { type: 'transcript.text.delta', delta: 'Hel' } },
      { event: { type: 'transcript.text.done', text: 'Hello' } },
      { usage: { inputTokens: 9 } },
    ])
  })

  it('report the billed seconds', () => {
    const body = { text: 'a', usage: { type: 'duration', seconds: 37 } }
    const { usage } = openai.codecs.translate!.decode(
      received(JSON.stringify(body)),
      codecContext(),
      { model: 'm', file },
    )
    expect(usage).toEqual({ inputTokens: 0, outputTokens: 0, seconds: 37 })
  })
})

describe('embeddings and moderations', () => {
  it('return vectors in the requested encoding', () => {
    const body = (embedding: unknown) =>
      received(
        JSON.stringify({
          data: [
            { index: 1, embedding },
            { index: 0, embedding },
          ],
        }),
      )
    const decode = (embedding: unknown, format?: 'base64' | 'float') =>
      openai.codecs.embed!.decode(body(embedding), codecContext(), {
        model: 'm',
        input: ['a', 'b'],
        ...(format ? { encoding_format: format } : {}),
      }).reply.data
    const encoded = Buffer.from(new Float32Array([0.5, -2]).buffer).toString('base64')
    expect(decode([0.5, -2])).toEqual([
      { object: 'embedding', index: 0, embedding: [0.5, -2] },
      { object: 'embedding', index: 1, embedding: [0.5, -2] },
    ])
    expect(decode([0.5, -2], 'base64')[0]?.embedding).toBe(encoded)
    expect(decode(encoded, 'float')[0]?.embedding).toEqual([0.5, -2])
    expect(decode(encoded, 'base64')[0]?.embedding).toBe(encoded)
  })

  it('drop encoding_format if the upstream lacks it, and reject fields that change the vectors', () => {
    const { embed } = openaiLike({ embed: { lacks: ['encoding_format', 'dimensions'] } }).codecs
    const asked = { model: 'm', input: 'a', encoding_format: 'base64' as const }
    expect(json(embed!.encode(asked, codecContext()))).toEqual({
      model: 'upstream-model',
      input: 'a',
    })
    expect(() => embed!.encode({ ...asked, dimensions: 8 }, codecContext())).toThrow('dimensions')
    expect(() => encode('embed', { model: 'm', input: 'a', input_type: 'query' })).toThrow(
      'input_type',
    )
    expect(passes(openai.native.embed!, { input: 'a', input_type: 'query' })).toBe(false)
  })

  it('have every category, also from older models', () => {
    const body = {
      id: 'modr-1',
      results: [
        {
          flagged: true,
          categories: { violence: true, pii: true },
          category_scores: { violence: 0.9 },
        },
      ],
    }
    const { reply } = openai.codecs.moderate!.decode(
      received(JSON.stringify(body)),
      codecContext(),
      { input: 'a' },
    )
    expect(reply.results[0]).toMatchObject({
      flagged: true,
      categories: { violence: true, illicit: false, pii: true },
      category_scores: { violence: 0.9, 'illicit/violent': 0 },
    })
    expect(Object.keys(reply.results[0]!.categories)).toHaveLength(14)
  })
})

describe('text completions', () => {
  it('request usage in a stream and reject fields that the upstream lacks', () => {
    expect(
      json(encode('complete', { model: 'm', prompt: 'p', stream: true, suffix: null })),
    ).toEqual({
      model: 'upstream-model',
      prompt: 'p',
      stream: true,
      stream_options: { include_usage: true },
    })
    const { complete } = openaiLike({ complete: { lacks: ['suffix', 'echo'] } }).codecs
    const asked = { model: 'm', prompt: 'p', echo: false }
    expect(json(complete!.encode(asked, codecContext()))).toEqual({
      model: 'upstream-model',
      prompt: 'p',
    })
    expect(() => complete!.encode({ ...asked, suffix: 's' }, codecContext())).toThrow('suffix')
  })
})

describe('reranking by compatible servers', () => {
  const asked = { model: 'm', query: 'q', documents: ['a', { text: 'b', more: 1 }], top_n: 1 }

  it('sorts, truncates and returns the documents', () => {
    const body = {
      id: 'r',
      results: [
        { index: 0, relevance_score: 0.1 },
        { index: 1, relevance_score: 0.9 },
      ],
      usage: { total_tokens: 7 },
    }
    const { reply, usage } = compatibleRerank().decode(
      received(JSON.stringify(body)),
      codecContext(),
      asked,
    )
    expect(reply.results).toEqual([
      { index: 1, relevance_score: 0.9, document: { text: 'b', more: 1 } },
    ])
    expect(usage).toEqual({ inputTokens: 7, outputTokens: 0 })
    const bare = compatibleRerank().decode(received(JSON.stringify(body)), codecContext(), {
      ...asked,
      return_documents: false,
    })
    expect(bare.reply.results).toEqual([{ index: 1, relevance_score: 0.9 }])
  })

  it('uses the format of Text Embeddings Inference', () => {
    const codec = compatibleRerank({ form: 'tei' })
    expect(json(codec.encode(asked, codecContext()))).toEqual({
      query: 'q',
      texts: ['a', 'b'],
      return_text: false,
    })
    const answer = received('[{"index":1,"score":0.9},{"index":0,"score":0.1}]')
    expect(
      codec
        .decode(answer, codecContext(), { ...asked, top_n: null })
        .reply.results.map(({ index }) => index),
    ).toEqual([1, 0])
  })
})

describe('NVIDIA’s URLs for reranking', () => {
  const codec = compatibleRerank({ form: 'nim' })
  const at = (given: Partial<CodecContext>) => {
    const request = { model: 'm', query: 'q', documents: ['a'] }
    const { origin, path } = codec.encode(request, codecContext(given))
    return `${origin ?? ''}${path}`
  }

  it.each([
    ['nvidia/llama-3.2-nv-rerankqa-1b-v2', 'nvidia/llama-3_2-nv-rerankqa-1b-v2'],
    ['nv-rerank-qa-mistral-4b:1', 'nvidia'],
  ])('%s', (model, place) => {
    expect(at({ model })).toBe(`https://ai.api.nvidia.com/v1/retrieval/${place}/reranking`)
    expect(at({ model, isOtherBase: true })).toBe('/ranking')
  })
})

describe('Azure’s dated API versions', () => {
  it('name the deployment and the version', () => {
    const chat = azureDeployments.codecs.chat!
    const request = { model: 'm', messages: [{ role: 'user' as const, content: 'x' }] }
    const at = (given: Partial<CodecContext>) => chat.encode(request, codecContext(given)).path
    expect(at({ model: 'my gpt' })).toBe(
      '/openai/deployments/my%20gpt/chat/completions?api-version=2025-04-01-preview',
    )
    expect(at({ settings: { apiVersion: '2024-10-21' } })).toBe(
      '/openai/deployments/upstream-model/chat/completions?api-version=2024-10-21',
    )
  })

  it.each([
    ['2024-08-01-preview', { max_tokens: 5 }],
    ['2024-09-01-preview', { max_completion_tokens: 5 }],
    ['2024-10-21', { max_completion_tokens: 5 }],
  ])('limit the output like version %s', (apiVersion, limit) => {
    const messages = [{ role: 'user' as const, content: 'x' }]
    const { body } = azureDeployments.codecs.chat!.encode(
      { model: 'm', messages, max_completion_tokens: 5 },
      codecContext({ settings: { apiVersion } }),
    )
    expect(body).toEqual({ kind: 'json', value: { model: 'upstream-model', messages, ...limit } })
  })
})

describe('error bodies', () => {
  it.each([
    [
      '{"error":{"message":"m","type":"t","param":"p","code":"c"}}',
      { message: 'm', code: 'c', param: 'p' },
    ],
    [
      '{"error":{"message":"m","type":"invalid_request_error","param":null,"code":null}}',
      { message: 'm', code: 'invalid_request_error' },
    ],
    ['{"error":"m"}', { message: 'm' }],
    ['{"detail":"m"}', { message: 'm' }],
    ['{"detail":[{"loc":["body"],"msg":"m"}]}', { message: 'm' }],
    ['{"object":"error","message":"m","code":40001}', { message: 'm', code: '40001' }],
    ['[{"error":{"message":"m","code":400}}]', { message: 'm', code: '400' }],
    ['no such model', { message: 'no such model' }],
    ['<html>502</html>', { message: 'The upstream answered with status 502' }],
    ['', { message: 'The upstream answered with status 502' }],
    ['null', { message: 'The upstream answered with status 502' }],
  ])('%s', (body, told) => {
    expect(openai.failure(received(body, { status: 502 }))).toEqual(told)
  })
})

describe('lists of models', () => {
  it.each([
    [{ data: [{ id: 'a', object: 'model' }] }, [{ id: 'a' }]],
    [
      { data: [{ id: 'a', context_window: 8192, max_completion_tokens: 512 }] },
      [{ id: 'a', inputTokenLimit: 8192, outputTokenLimit: 512 }],
    ],
    [
      [{ id: 'a', display_name: 'A', context_length: 4096 }],
      [{ id: 'a', displayName: 'A', inputTokenLimit: 4096 }],
    ],
    [{ data: [null, {}] }, []],
    [null, []],
  ])('%j', (body, cards) => {
    expect(openai.models?.decode(body)).toEqual(cards)
  })
})
