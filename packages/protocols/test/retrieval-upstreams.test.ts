import { describe, expect, test } from 'vitest'
import { codecContext, received } from '../../../test/support/codec-context.ts'
import type { EmbedRequest } from '../../contract/src/operations/embed.ts'
import { bedrock } from '../src/bedrock/index.ts'
import { cohere } from '../src/cohere/index.ts'
import { jina, voyage } from '../src/jina/index.ts'
import type { Protocol } from '../src/protocol.ts'

const embedded = ({ codecs }: Protocol, fields: Partial<EmbedRequest>, model = 'e') => {
  const { path, body } = codecs.embed!.encode(
    { model: 'm', input: 'a', ...fields },
    codecContext({ model }),
  )
  return { path, body: body?.kind === 'json' ? body.value : undefined }
}

describe('embeddings', () => {
  test.each<[string, Protocol, Partial<EmbedRequest>, object]>([
    [
      'Jina',
      jina,
      { input_type: 'query', dimensions: 64 },
      { model: 'e', input: ['a'], task: 'retrieval.query', dimensions: 64 },
    ],
    [
      'Jina, its own word',
      jina,
      { input_type: 'text-matching' },
      { model: 'e', input: ['a'], task: 'text-matching' },
    ],
    [
      'Voyage',
      voyage,
      { input_type: 'search_document', dimensions: 64 },
      { model: 'e', input: ['a'], input_type: 'document', output_dimension: 64 },
    ],
    [
      'Cohere',
      cohere,
      { input: ['a', 'b'], input_type: 'query' },
      { model: 'e', texts: ['a', 'b'], input_type: 'search_query', embedding_types: ['float'] },
    ],
    [
      'Cohere, the default',
      cohere,
      { dimensions: 256 },
      {
        model: 'e',
        texts: ['a'],
        input_type: 'search_document',
        embedding_types: ['float'],
        output_dimension: 256,
      },
    ],
  ])('%s', (_name, protocol, fields, body) => {
    expect(embedded(protocol, fields).body).toEqual(body)
  })

  test('use the format of the model’s maker at Bedrock', () => {
    expect(embedded(bedrock, { dimensions: 256 }, 'amazon.titan-embed-text-v2:0')).toEqual({
      path: '/model/amazon.titan-embed-text-v2%3A0/invoke',
      body: { inputText: 'a', dimensions: 256 },
    })
    const first = 'amazon.titan-embed-text-v1'
    expect(embedded(bedrock, { dimensions: 1536 }, first).body).toEqual({ inputText: 'a' })
    expect(() => embedded(bedrock, { dimensions: 256 }, first)).toThrow('1536')
    expect(embedded(bedrock, { dimensions: 256 }, 'amazon.titan-embed-image-v1').body).toEqual({
      inputText: 'a',
      embeddingConfig: { outputEmbeddingLength: 256 },
    })
    expect(embedded(bedrock, { dimensions: 512 }, 'cohere.embed-v4:0').body).toEqual({
      texts: ['a'],
      input_type: 'search_document',
      embedding_types: ['float'],
      output_dimension: 512,
    })
    const nova = 'amazon.nova-2-multimodal-embeddings-v1:0'
    const asked = { dimensions: 256, input_type: 'search_query' } as const
    expect(embedded(bedrock, asked, nova).body).toEqual({
      taskType: 'SINGLE_EMBEDDING',
      singleEmbeddingParams: {
        embeddingPurpose: 'TEXT_RETRIEVAL',
        embeddingDimension: 256,
        text: { truncationMode: 'NONE', value: 'a' },
      },
    })
  })

  test.each([jina, voyage, cohere, bedrock])('$id rejects token ids', (protocol) => {
    expect(() => embedded(protocol, { input: [1, 2] })).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter' }),
    )
  })

  test.each<[string, Protocol, object, Record<string, string>]>([
    ['Titan', bedrock, { embedding: [0.5, 1], inputTextTokenCount: 3 }, {}],
    [
      'Cohere at Bedrock',
      bedrock,
      { embeddings: { float: [[0.5, 1]] } },
      { 'x-amzn-bedrock-input-token-count': '3' },
    ],
    [
      'Cohere',
      cohere,
      { embeddings: { float: [[0.5, 1]] }, meta: { billed_units: { input_tokens: 3 } } },
      {},
    ],
    ['Jina', jina, { data: [{ index: 0, embedding: [0.5, 1] }], usage: { total_tokens: 3 } }, {}],
  ])('%s: numbers are encoded as base64 if requested', (_name, protocol, body, headers) => {
    const answer = received(JSON.stringify(body), { headers })
    const { reply, usage } = protocol.codecs.embed!.decode(answer, codecContext(), {
      model: 'm',
      input: 'a',
      encoding_format: 'base64',
    })
    const bytes = Buffer.from(reply.data[0]!.embedding as string, 'base64')
    expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([0.5, 1])
    expect(reply.usage).toEqual({ prompt_tokens: 3, total_tokens: 3 })
    expect(usage).toEqual({ inputTokens: 3, outputTokens: 0 })
  })

  test('return vectors in the order of their indexes', () => {
    const data = [
      { index: 1, embedding: [2] },
      { index: 0, embedding: [1] },
    ]
    const { reply } = voyage.codecs.embed!.decode(
      received(JSON.stringify({ data })),
      codecContext(),
      { model: 'm', input: ['a', 'b'] },
    )
    expect(reply.data).toEqual([
      { object: 'embedding', index: 0, embedding: [1] },
      { object: 'embedding', index: 1, embedding: [2] },
    ])
  })

  test.each([jina, voyage, cohere, bedrock])(
    '$id: an answer without vectors is garbled',
    (protocol) => {
      expect(() =>
        protocol.codecs.embed!.decode(received('{}'), codecContext(), { model: 'm', input: 'a' }),
      ).toThrow(expect.objectContaining({ code: 'upstream_garbled' }))
    },
  )
})

describe('reranking', () => {
  const request = {
    model: 'm',
    query: 'q',
    documents: ['plain', { title: 'T', body: 'B' }, { text: 'x', other: 1 }],
    rank_fields: ['title', 'body'],
    top_n: 2,
  }
  const sent = ({ codecs }: Protocol, model = 'r') => {
    const { body } = codecs.rerank!.encode(request, codecContext({ model }))
    return body?.kind === 'json' ? body.value : undefined
  }
  const documents = ['plain', 'T\nB', '']

  test('sends documents as text in each upstream’s fields', () => {
    expect(sent(jina)).toEqual({
      model: 'r',
      query: 'q',
      documents,
      top_n: 2,
      return_documents: false,
    })
    expect(sent(voyage)).toEqual({
      model: 'r',
      query: 'q',
      documents,
      top_k: 2,
      return_documents: false,
    })
    expect(sent(cohere)).toEqual({ model: 'r', query: 'q', documents, top_n: 2 })
    expect(sent(bedrock, 'cohere.rerank-v3-5:0')).toEqual({
      query: 'q',
      documents,
      top_n: 2,
      api_version: 2,
    })
    expect(sent(bedrock, 'amazon.rerank-v1:0')).toEqual({ query: 'q', documents, top_n: 2 })
  })

  test('returns the caller’s documents, unless declined', () => {
    const answer = () =>
      received('{"results":[{"index":2,"relevance_score":0.9}],"usage":{"total_tokens":5}}')
    expect(jina.codecs.rerank!.decode(answer(), codecContext(), request).reply).toMatchObject({
      id: 'rerank-1',
      model: 'public-model',
      results: [{ index: 2, relevance_score: 0.9, document: { text: 'x', other: 1 } }],
      usage: { prompt_tokens: 5, total_tokens: 5 },
    })
    const { reply } = jina.codecs.rerank!.decode(answer(), codecContext(), {
      ...request,
      return_documents: false,
    })
    expect(reply.results[0]).not.toHaveProperty('document')
  })

  test('rejects a rank of an unknown document', () => {
    expect(() =>
      cohere.codecs.rerank!.decode(
        received('{"results":[{"index":7,"relevance_score":1}]}'),
        codecContext(),
        request,
      ),
    ).toThrow(expect.objectContaining({ code: 'upstream_garbled' }))
  })
})
