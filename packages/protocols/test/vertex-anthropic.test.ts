import { describe, expect, test } from 'vitest'
import { codecContext } from '../../../test/support/codec-context.ts'
import type { UpstreamRequest } from '../src/protocol.ts'
import { vertexAnthropic } from '../src/vertex-anthropic/index.ts'

const settings = { project: 'my-project', region: 'europe-west1' }

function json({ body }: UpstreamRequest): unknown {
  return (body as { value: unknown }).value
}

describe('Claude on Vertex', () => {
  const path = '/v1/projects/my-project/locations/europe-west1/publishers/anthropic/models/'

  test('has the model in the path and the version in the body', () => {
    const context = codecContext({ model: 'claude-sonnet-4-5@20250929', settings })
    const request = { model: 'c', messages: [{ role: 'user' as const, content: 'Hi' }] }
    const { chat } = vertexAnthropic.codecs
    const sent = chat!.encode(request, context)
    expect(sent.path).toBe(`${path}claude-sonnet-4-5@20250929:rawPredict`)
    expect(json(sent)).toMatchObject({
      anthropic_version: 'vertex-2023-10-16',
      messages: [{ role: 'user' }],
    })
    expect(json(sent)).not.toHaveProperty('model')
    const streamed = chat!.encode({ ...request, stream: true }, context)
    expect(streamed.path).toBe(`${path}claude-sonnet-4-5@20250929:streamRawPredict`)
    expect(json(streamed)).toMatchObject({ stream: true })
  })

  test('has them also for a passed-through Messages request', () => {
    const sent = vertexAnthropic.native.messages!.request({
      body: Buffer.from('{"model":"c","max_tokens":5,"metadata":{"n":9007199254740993}}'),
      model: 'claude-opus-4-5',
      stream: false,
      headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'x' },
      query: '',
      settings,
    })
    expect(sent.path).toBe(`${path}claude-opus-4-5:rawPredict`)
    expect(sent.headers).toEqual({ 'anthropic-beta': 'x' })
    expect(JSON.stringify(json(sent))).toBe(
      '{"anthropic_version":"vertex-2023-10-16","max_tokens":5,"metadata":{"n":9007199254740993}}',
    )
  })
})
