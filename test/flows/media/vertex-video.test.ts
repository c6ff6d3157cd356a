// Google Vertex AI beyond Gemini's chat: Veo videos and the ranking API.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type Answering,
  type FakeUpstream,
  fakeUpstream,
  json,
  type SeenRequest,
} from '../../support/fakes/fake-upstream.ts'
import type { Routes } from '../../support/routes.ts'
import { type Started, start } from '../../support/start.ts'

const model = 'veo-3.0-generate-001'
const modelPath = `projects/p1/locations/us-central1/publishers/google/models/${model}`
const operation = `${modelPath}/operations/op-1`
const clip = Buffer.from('the clip')

/** What fetchPredictOperation answers with, once the clip is there. */
const finished = (videos: object) => ({
  name: operation,
  done: true,
  response: {
    '@type': 'type.googleapis.com/cloud.ai.large_models.vision.GenerateVideoResponse',
    raiMediaFilteredCount: 0,
    ...videos,
  },
})
const inside = finished({
  videos: [{ bytesBase64Encoded: clip.toString('base64'), mimeType: 'video/mp4' }],
})
const stored = finished({
  videos: [{ gcsUri: 'gs://bucket-1/clips/1 a/sample_0.mp4', mimeType: 'video/mp4' }],
})

/** Vertex AI and Cloud Storage behind one address; `operations` are the answers to each poll, the last for ever. */
function google(operations: readonly object[]): Answering {
  let polls = 0
  return ({ method, path }, response) => {
    if (path.endsWith(':predictLongRunning')) return json(response, { name: operation })
    if (path.endsWith(':fetchPredictOperation')) {
      json(response, operations[Math.min(polls, operations.length - 1)])
      polls += 1
    } else if (method === 'DELETE') response.writeHead(204).end()
    else response.writeHead(200, { 'content-type': 'video/mp4' }).end(clip)
  }
}

const settings = (upstream: FakeUpstream, further: object = {}): Routes => ({
  providers: {
    vertex: {
      kind: 'google-vertex',
      baseUrl: upstream.url,
      key: 'token-1',
      project: 'p1',
      location: 'us-central1',
      ...further,
    },
  },
})

async function finish(gateway: Started) {
  const body = { model: `vertex/${model}`, prompt: 'A cat', seconds: '8', size: '1280x720' }
  const made = await gateway.post('/v1/videos', body)
  const text = await made.text()
  expect(made.status, text).toBe(200)
  return JSON.parse(text) as { readonly id: string; readonly status: string }
}

const poll = async (gateway: Started, id: string) =>
  (await (await gateway.request(`/v1/videos/${id}`)).json()) as { readonly status: string }
const paths = (seen: readonly SeenRequest[]) => seen.map(({ method, path }) => `${method} ${path}`)

describe('Veo on Vertex AI', () => {
  test.each<[string, object, object, string, readonly string[]]>([
    ['inside the operation', inside, {}, `POST /v1/${modelPath}:fetchPredictOperation`, []],
    [
      'in Cloud Storage',
      stored,
      { storageUri: 'gs://bucket-1/clips' },
      'GET /storage/v1/b/bucket-1/o/clips%2F1%20a%2Fsample_0.mp4?alt=media',
      ['DELETE /storage/v1/b/bucket-1/o/clips%2F1%20a%2Fsample_0.mp4'],
    ],
  ])('serves a video %s', async (_name, ...row) => {
    const [whole, further, download, deletions] = row
    await using up = await fakeUpstream(google([{ name: operation }, whole]))
    await using gateway = await start(settings(up, further))
    const { id, status } = await finish(gateway)
    expect(status).toBe('queued')
    expect(up.seen[0]?.path).toBe(`/v1/${modelPath}:predictLongRunning`)
    expect(up.seen[0]?.body).toEqual({
      instances: [{ prompt: 'A cat' }],
      parameters: { aspectRatio: '16:9', resolution: '720p', durationSeconds: 8, ...further },
    })
    expect(await poll(gateway, id)).toMatchObject({ status: 'in_progress' })
    expect(up.seen[1]?.body).toEqual({ operationName: operation })
    expect(await poll(gateway, id)).toMatchObject({ status: 'completed', progress: 100 })
    const content = await gateway.request(`/v1/videos/${id}/content`)
    expect(content.headers.get('content-type')).toBe('video/mp4')
    expect(Buffer.from(await content.arrayBuffer())).toEqual(clip)
    expect(paths(up.seen).at(-1)).toBe(download)
    const before = up.seen.length
    expect((await gateway.request(`/v1/videos/${id}`, { method: 'DELETE' })).status).toBe(200)
    expect(paths(up.seen.slice(before))).toEqual(deletions)
    expect(new Set(up.seen.map(({ headers }) => headers['authorization']))).toEqual(
      new Set(['Bearer token-1']),
    )
  })

  test('rejects an inline video that is a document', async () => {
    const svg = finished({
      videos: [{ bytesBase64Encoded: clip.toString('base64'), mimeType: 'image/svg+xml' }],
    })
    await using up = await fakeUpstream(google([svg]))
    await using gateway = await start(settings(up))
    const { id } = await finish(gateway)
    const content = await gateway.request(`/v1/videos/${id}/content`)
    expect(content.status).toBe(502)
    expect(content.headers.get('content-type')).toMatch(/^application\/json/)
  })

  test.each([
    ['an error', { name: operation, done: true, error: { code: 3, message: 'a bad prompt' } }],
    ['a filter', finished({ raiMediaFilteredCount: 1, raiMediaFilteredReasons: ['not this'] })],
  ])('marks a task that ends with %s as failed', async (_name, whole) => {
    await using up = await fakeUpstream(google([whole]))
    await using gateway = await start(settings(up))
    const { id } = await finish(gateway)
    expect(await poll(gateway, id)).toMatchObject({
      status: 'failed',
      error: { message: expect.any(String) },
    })
    expect((await gateway.request(`/v1/videos/${id}/content`)).status).toBe(400)
  })
})

describe('a video task uses the provider key that created it', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const keys = ['one', 'two', 'three']

  /** Knows each key's own tasks, and no others'. */
  const accounts = (): Answering => {
    const owners = new Map<string, string>()
    return ({ method, path, headers }, response) => {
      const owner = headers['authorization'] ?? ''
      const task = (id: string) =>
        json(response, { id, object: 'video', status: 'completed', progress: 100, seconds: '4' })
      if (method === 'POST') {
        const id = `up_${owners.size}`
        owners.set(id, owner)
        return task(id)
      }
      const id = /\/videos\/(\w+)/.exec(path)?.[1] ?? ''
      if (owners.get(id) !== owner)
        return json(response, { error: { message: 'no such video' } }, { status: 404 })
      if (path.endsWith('/content'))
        response.writeHead(200, { 'content-type': 'video/mp4' }).end(clip)
      else task(id)
    }
  }

  test('after a reload and after a restart', async () => {
    await using up = await fakeUpstream(accounts())
    const at = (order: readonly string[]): Routes => ({
      providers: { up: { type: 'openai', baseUrl: up.url, keys: [...order] } },
    })
    const ids: string[] = []
    const all = async (gateway: Started, path: string, options = {}) => {
      const statuses: number[] = []
      for (const id of ids) {
        const answer = await gateway.request(`/v1/videos/${id}${path}`, options)
        await answer.arrayBuffer()
        statuses.push(answer.status)
      }
      return statuses
    }
    {
      await using gateway = await start(at(keys), { dataFolder: folder })
      for (let index = 0; index < 4; index += 1) {
        const made = await gateway.post('/v1/videos', { model: 'up/sora', prompt: 'A cat' })
        ids.push(((await made.json()) as { readonly id: string }).id)
      }
      expect(new Set(up.seen.map(({ headers }) => headers['authorization'])).size).toBe(3)
      expect(await all(gateway, '')).toEqual([200, 200, 200, 200])
      await gateway.configure(at(keys.toReversed()))
      expect(await all(gateway, '/content')).toEqual([200, 200, 200, 200])
    }
    await using gateway = await start(at([...keys.slice(1), 'one']), { dataFolder: folder })
    expect(await all(gateway, '/content')).toEqual([200, 200, 200, 200])
    const before = up.seen.length
    expect(await all(gateway, '', { method: 'DELETE' })).toEqual([200, 200, 200, 200])
    expect(up.seen.slice(before).map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer one',
      'Bearer two',
      'Bearer three',
      'Bearer one',
    ])
    const file = JSON.stringify(await gateway.gateway.store.listUsage({ limit: 9 }))
    expect(file).not.toContain('Bearer')
  })

  test('and stays when the provider fails to delete it', async () => {
    await using up = await fakeUpstream(accounts())
    await using gateway = await start({
      providers: { up: { type: 'openai', baseUrl: up.url, key: 'one' } },
    })
    const made = await gateway.post('/v1/videos', { model: 'up/sora', prompt: 'A cat' })
    const { id } = (await made.json()) as { readonly id: string }
    await gateway.request(`/v1/videos/${id}`)
    up.answer((_seen, response) => json(response, {}, { status: 500 }))
    expect((await gateway.request(`/v1/videos/${id}`, { method: 'DELETE' })).status).toBe(503)
    expect((await gateway.request(`/v1/videos/${id}`)).status).toBe(200)
  })
})

test('reranks with Google’s ranking API', async () => {
  await using up = await fakeUpstream((_seen, response) =>
    json(response, {
      records: [
        { id: '1', score: 0.98 },
        { id: '0', score: 0.64 },
      ],
    }),
  )
  await using gateway = await start(settings(up))
  const answer = await gateway.post('/v1/rerank', {
    model: 'vertex/semantic-ranker-default@latest',
    query: 'What is a cat?',
    documents: ['A tool.', { text: 'An animal.' }, 'A town.'],
    top_n: 2,
  })
  expect(await answer.json()).toMatchObject({
    model: 'vertex/semantic-ranker-default@latest',
    results: [
      { index: 1, relevance_score: 0.98, document: { text: 'An animal.' } },
      { index: 0, relevance_score: 0.64, document: { text: 'A tool.' } },
    ],
  })
  const [seen] = up.seen
  expect(seen?.path).toBe(
    '/v1/projects/p1/locations/global/rankingConfigs/default_ranking_config:rank',
  )
  expect(seen?.headers).toMatchObject({
    authorization: 'Bearer token-1',
    'x-goog-user-project': 'p1',
  })
  expect(seen?.body).toEqual({
    model: 'semantic-ranker-default@latest',
    query: 'What is a cat?',
    records: [
      { id: '0', content: 'A tool.' },
      { id: '1', content: 'An animal.' },
      { id: '2', content: 'A town.' },
    ],
    topN: 2,
    ignoreRecordDetailsInResponse: true,
  })
})
