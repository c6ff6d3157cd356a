import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silence, sine, wavOf } from '../../../packages/engine/test/audio-sounds.ts'
import { startSluice } from '../../support/run-sluice.ts'

/** A gateway as a process of its own: killed in the middle of its work, and told to stop after it. */
let folder: string
const running: ReturnType<typeof startSluice>[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
})
afterEach(async () => {
  for (const { child, finished } of running.splice(0)) {
    child.kill('SIGKILL')
    await finished
  }
  rmSync(folder, { recursive: true, force: true })
})

const soon = { timeout: 30_000, interval: 20 }
/** Far below the ten seconds that requests under way may have. */
const stopMs = 6_000

interface Video {
  readonly id: string
  readonly status: string
  readonly progress: number
  readonly error: { readonly code: string; readonly message: string } | null
}

async function serve() {
  const variables = { SLUICE_PORT: '0', SLUICE_API_KEYS: 'key', SLUICE_DATA: folder }
  const sluice = startSluice(['serve'], { folder, variables })
  running.push(sluice)
  await vi.waitFor(() => {
    expect(sluice.child.exitCode).toBeNull()
    expect(sluice.output()).toMatch(/listens on http/)
  }, soon)
  const address = /listens on (http:\S+)/.exec(sluice.output())?.[1] ?? ''
  const request = (path: string, options: RequestInit = {}) =>
    fetch(address + path, {
      ...options,
      headers: { authorization: 'Bearer key', ...options.headers },
    })
  const post = (path: string, body: object) =>
    request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const video = async (id: string) => (await (await request(`/v1/videos/${id}`)).json()) as Video
  return {
    request,
    post,
    video,
    async kill() {
      sluice.child.kill('SIGKILL')
      await sluice.finished
    },
    /** Returns the milliseconds it took. */
    async stop(): Promise<number> {
      const told = performance.now()
      sluice.child.kill('SIGTERM')
      const { exitCode, stderr } = await sluice.finished
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
      return performance.now() - told
    },
  }
}

type Serving = Awaited<ReturnType<typeof serve>>

const slow = {
  model: 'sora-2',
  prompt: 'A yellow sun rises over the sea',
  size: '1280x720',
  seconds: '4',
}

async function created(gateway: Serving, body: object = slow): Promise<string> {
  const response = await gateway.post('/v1/videos', body)
  expect(response.status).toBe(200)
  const video = (await response.json()) as Video
  expect(video).toMatchObject({ status: 'queued', progress: 0 })
  return video.id
}

async function begun(gateway: Serving, id: string): Promise<void> {
  await vi.waitFor(async () => {
    expect(await gateway.video(id)).toMatchObject({ status: 'in_progress' })
  }, soon)
}

async function ended(gateway: Serving, id: string): Promise<Video> {
  return vi.waitFor(
    async () => {
      const video = await gateway.video(id)
      expect(['completed', 'failed']).toContain(video.status)
      return video
    },
    { timeout: 90_000, interval: 200 },
  )
}

test('a video interrupted by a kill is finished after the next start', async () => {
  const first = await serve()
  const id = await created(first)
  const waiting = await created(first, { ...slow, size: '64x64', seconds: '1' })
  await vi.waitFor(async () => expect((await first.video(id)).progress).toBeGreaterThan(0), soon)
  const before = await first.video(id)
  await first.kill()

  const second = await serve()
  const known = await second.video(id)
  expect(['queued', 'in_progress']).toContain(known.status)
  expect(known.progress).toBeGreaterThanOrEqual(before.progress)
  expect(await ended(second, id)).toMatchObject({ status: 'completed', progress: 100, error: null })
  expect(await ended(second, waiting)).toMatchObject({ status: 'completed' })
  const clip = Buffer.from(await (await second.request(`/v1/videos/${id}/content`)).arrayBuffer())
  expect(clip.subarray(4, 8).toString()).toBe('ftyp')
  await second.stop()

  const third = await serve()
  const again = await third.request(`/v1/videos/${id}/content`, { headers: { range: 'bytes=4-7' } })
  expect([again.status, await again.text()]).toEqual([206, 'ftyp'])
}, 180_000)

test('a video that crashes the process each time fails with an error', async () => {
  const first = await serve()
  const id = await created(first)
  await begun(first, id)
  await first.kill()
  for (const _ of [2, 3]) {
    const next = await serve()
    await begun(next, id)
    // The start is counted before the work, so that it holds even when the work ends the process.
    await vi.waitFor(async () => expect((await next.video(id)).progress).toBeGreaterThan(0), soon)
    await next.kill()
  }
  const last = await serve()
  const video = await ended(last, id)
  expect(video).toMatchObject({ status: 'failed', error: { code: 'restarted_too_often' } })
  expect((await last.request(`/v1/videos/${id}/content`)).status).toBe(400)
  const later = await created(last, { ...slow, size: '64x64', seconds: '1' })
  expect(await ended(last, later)).toMatchObject({ status: 'completed' })
}, 180_000)

test('shutdown interrupts a video at once, and the next start finishes it', async () => {
  const first = await serve()
  const id = await created(first)
  await begun(first, id)
  expect(await first.stop()).toBeLessThan(stopMs)
  const second = await serve()
  expect(await ended(second, id)).toMatchObject({ status: 'completed' })
}, 180_000)

const sound = new File([Buffer.from(wavOf(silence(0.2), sine(440, 0.5)))], 'tone.wav')
const upload = (gateway: Serving, path: string, fields: Readonly<Record<string, string>>) => {
  const form = new FormData()
  form.set('file', sound)
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return gateway.request(path, { method: 'POST', body: form })
}
const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'What is 6 times 7?' }] }

test.each<[string, (gateway: Serving) => Promise<Response>]>([
  ['chat', (gateway) => gateway.post('/v1/chat/completions', chat)],
  ['streamed chat', (gateway) => gateway.post('/v1/chat/completions', { ...chat, stream: true })],
  [
    'speech',
    (gateway) => gateway.post('/v1/audio/speech', { model: 'tts-1', input: 'The gate is open.' }),
  ],
  [
    'transcription',
    (gateway) => upload(gateway, '/v1/audio/transcriptions', { model: 'whisper-1' }),
  ],
  [
    'a picture',
    (gateway) =>
      gateway.post('/v1/images/generations', {
        model: 'dall-e-2',
        prompt: 'A circle',
        size: '256x256',
      }),
  ],
  [
    'rerank',
    (gateway) =>
      gateway.post('/v1/rerank', {
        model: 'rerank-v3.5',
        query: 'a',
        documents: Array.from({ length: 500 }, (_, at) => `a b ${at}`),
      }),
  ],
  [
    'embeddings',
    (gateway) => gateway.post('/v1/embeddings', { model: 'text-embedding-3-small', input: 'a' }),
  ],
  [
    'a described picture',
    (gateway) =>
      gateway.post('/v1/moderations', {
        input: [
          {
            type: 'image_url',
            image_url: {
              url: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
            },
          },
        ],
      }),
  ],
])(
  'shutdown after %s ends the process at once',
  async (_name, call) => {
    const gateway = await serve()
    const response = await call(gateway)
    await response.arrayBuffer()
    expect(response.status).toBe(200)
    expect(await gateway.stop()).toBeLessThan(stopMs)
  },
  60_000,
)
