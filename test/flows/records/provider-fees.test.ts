// The cost of responses without usage, and of services without a listed price.
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import { ask, faces } from '../../support/clients/client-formats.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { either } from '../../support/fakes/server-tool-answers.ts'
import { ledger } from '../../support/ledger.ts'
import { adminKey, start } from '../../support/start.ts'

/** Recordings of a second, from which encoders differ by some hundredths. */
const recordings = join(import.meta.dirname, '../../fixtures/audio')
const subtitles = '1\n00:00:00,000 --> 00:00:01,000\nHello\n'

describe('a transcript without usage is charged by the length of the recording', () => {
  const text = (type: string, body: string) => (_seen: unknown, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': type })
    response.end(body)
  }
  test.each([
    ['json', 'tone.mp3', text('application/json', '{"text":"Hello"}'), 1],
    ['text', 'tone.ogg', text('text/plain', 'Hello\n'), 1],
    ['srt', 'tone.flac', text('text/plain', subtitles), 1],
    ['vtt', 'tone.webm', text('text/vtt', `WEBVTT\n\n${subtitles}`), 1],
    // What the provider says goes before what the file says.
    [
      'verbose_json',
      'tone.m4a',
      text(
        'application/json',
        '{"text":"Hello","language":"english","duration":3.5,"segments":[]}',
      ),
      3.5,
    ],
  ] as const)('%s of %s', async (format, name, answering, seconds) => {
    await using upstream = await fakeUpstream(answering)
    await using gateway = await start({
      providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
      prices: { 'up/*': { audioSeconds: 0.01 } },
    })
    const form = new FormData()
    form.set('model', 'up/m')
    form.set('response_format', format)
    form.set('file', new Blob([readFileSync(join(recordings, name))]), name)
    const path = '/v1/audio/transcriptions'
    const answer = await gateway.request(path, { method: 'POST', body: form })
    expect(answer.status, await answer.text()).toBe(200)
    const [record] = await ledger(gateway)
    expect(Math.abs((record?.costMicroUsd ?? 0) / 10_000 - seconds)).toBeLessThan(0.1)
  })
})

test('OpenAI’s moderation is free although it reports no usage', async () => {
  await using upstream = await fakeUpstream((_seen, response) =>
    json(response, {
      id: 'modr-1',
      model: 'omni-moderation-latest',
      results: [{ flagged: false, categories: {}, category_scores: {} }],
    }),
  )
  await using gateway = await start({
    providers: { openai: { baseUrl: upstream.url, key: 'k' } },
    prices: {},
  })
  const body = { model: 'openai/omni-moderation-latest', input: 'Hi' }
  const answer = await gateway.post('/v1/moderations', body)
  expect(answer.status, await answer.text()).toBe(200)
  const [record] = await ledger(gateway)
  expect([record?.operation, record?.costMicroUsd]).toEqual(['moderate', 0])
})

describe('a deployment is priced as its model:', () => {
  const models = [
    { id: 'gpt-4o', upstream: 'first' },
    { id: 'second', pricedAs: 'gpt-4.1-nano' },
  ]
  test.each([
    ['by the id of the model', 'gpt-4o', 48],
    ['by pricedAs', 'second', 2],
    ['without a price, if only its name is known', 'gpt-4o-mini', undefined],
  ])('%s', async (_name, model, microUsd) => {
    await using upstream = await fakeUpstream((_seen, response) =>
      json(response, chatReply('Hello')),
    )
    const provider = { baseUrl: upstream.url, key: 'k', models }
    await using gateway = await start({ providers: { 'azure-openai': provider }, prices: {} })
    const messages = [{ role: 'user', content: 'Hi' }]
    const body = { model: `azure-openai/${model}`, messages }
    const answer = await gateway.post('/v1/chat/completions', body)
    expect(answer.status, await answer.text()).toBe(200)
    const [record] = await ledger(gateway)
    expect(record?.costMicroUsd).toBe(microUsd)
  })
})

describe('an unpriced usage field makes the cost unknown', () => {
  const usage = { input_tokens: 5, output_tokens: 5, total_tokens: 10 }
  const item = { type: 'teleport_call', id: 'tp_1', status: 'completed' }
  const said = { type: 'output_text', text: 'Done', annotations: [] }
  const answer = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [said],
  }
  const response = {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'm',
    output: [item, answer],
    usage,
  }
  const events = [
    { type: 'response.created', response: { ...response, output: [], status: 'in_progress' } },
    ...[item, answer].map((one, index) => ({
      type: 'response.output_item.done',
      output_index: index,
      item: one,
    })),
    { type: 'response.completed', response },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  const prices: ConfigFile['prices'] = { 'up/*': { input: 1, output: 1 } }

  test.each(faces.flatMap((face) => [false, true].map((stream) => [face, stream] as const)))(
    'for %s, streamed: %s',
    async (face, stream) => {
      await using upstream = await fakeUpstream(either(response, events))
      await using gateway = await start({
        providers: { up: { type: 'openai-responses', baseUrl: upstream.url, key: 'k' } },
        prices,
      })
      await ask({ gateway, model: 'up/m' }, face, { stream })
      const [record] = await ledger(gateway)
      expect(record).toMatchObject({ inputTokens: 5, outputTokens: 5 })
      expect(record?.costMicroUsd).toBeUndefined()
      expect(record?.serverToolCalls).toEqual({ teleport: 1 })
      const metrics = await gateway.request('/metrics', { key: adminKey })
      expect(await metrics.text()).toMatch(/sluice_unknown_costs_total\{[^}]*model="m"[^}]*\} 1\n/)
      expect(gateway.logged.map(({ message }) => message).join('\n')).toContain(
        'tools.teleport has no price',
      )
    },
  )
})
