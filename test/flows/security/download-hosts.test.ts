// Downloads from another host than the provider's: which headers are sent, none of them a credential.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Network } from '../../../packages/gateway/src/dial/network.ts'
import { createSender } from '../../../packages/gateway/src/upstream/send.ts'
import {
  type Answering,
  type FakeUpstream,
  fakeUpstream,
  json,
} from '../../support/fakes/fake-upstream.ts'
import { type Started, start, testKey } from '../../support/start.ts'

const key = 'key-of-the-provider'
const operators = 'header-of-the-operator'
/** Nothing of these may leave the provider's origin, in no header and no address. */
const secrets = [key, operators, testKey.slice(3)]

interface Way {
  readonly name: string
  readonly provider: string
  readonly model: string
  /** How the provider's API answers; `storage` is the address of the other host. */
  readonly answering: (storage: string) => Answering
}

const openaiVideo = { object: 'video', model: 'm', created_at: 1, seconds: '4', size: '720x1280' }

const ways: readonly Way[] = [
  {
    name: 'an address in the answer for the job',
    provider: 'alibaba',
    model: 'alibaba/wan2.5-t2v-preview',
    answering: (storage) => (seen, response) =>
      seen.method === 'POST'
        ? json(response, { output: { task_id: 't1', task_status: 'PENDING' } })
        : json(response, {
            output: { task_id: 't1', task_status: 'SUCCEEDED', video_url: `${storage}/clip` },
            usage: { video_duration: 5 },
          }),
  },
  {
    name: 'a redirect of the content',
    provider: 'openai',
    model: 'openai/sora-2',
    answering: (storage) => (seen, response) => {
      if (seen.path.endsWith('/content'))
        return void response.writeHead(302, { location: `${storage}/clip` }).end()
      const done = seen.method === 'POST' ? { status: 'queued' } : { status: 'completed' }
      json(response, { ...openaiVideo, id: 'v1', progress: 0, ...done })
    },
  },
  {
    name: 'a redirect of a file',
    provider: 'google',
    model: 'google/veo-3.1-generate-preview',
    answering: (storage) => (seen, response) => {
      if (seen.path.includes('/files/'))
        return void response.writeHead(302, { location: `${storage}/clip` }).end()
      const uri = 'https://generativelanguage.googleapis.com/v1beta/files/f1:download?alt=media'
      const generatedSamples = [{ video: { uri } }]
      json(response, {
        name: 'models/veo-3.1-generate-preview/operations/o1',
        ...(seen.method === 'GET' && {
          done: true,
          response: { generateVideoResponse: { generatedSamples } },
        }),
      })
    },
  },
]

describe.each(ways)('downloads from another host: $name', ({ provider, model, answering }) => {
  let storage: FakeUpstream
  let upstream: FakeUpstream
  let gateway: Started
  const opened = new AsyncDisposableStack()
  beforeAll(async () => {
    storage = opened.use(
      await fakeUpstream((_seen, response) => {
        response.writeHead(200, { 'content-type': 'video/mp4' }).end('clip')
      }),
    )
    upstream = opened.use(await fakeUpstream(answering(storage.url)))
    gateway = opened.use(
      await start({
        providers: {
          [provider]: { baseUrl: upstream.url, key, headers: { 'x-operator': operators } },
        },
        defaults: { retries: { attempts: 1 } },
      }),
    )
    // The storage is on this machine, without TLS.
    const send = createSender(opened.use(new Network()), { isAllowed: () => true })
    const isStorage = (url: string) => url.startsWith(storage.url.replace('http:', 'https:'))
    Object.assign(gateway.gateway, {
      send: ((outgoing, receiver) =>
        send(
          isStorage(outgoing.url)
            ? { ...outgoing, url: outgoing.url.replace('https:', 'http:') }
            : outgoing,
          receiver,
        )) satisfies Started['gateway']['send'],
    })
  })
  afterAll(() => opened.disposeAsync())

  test.each(['first', 'again'])(
    'serves the video without sending credentials to that host (%s)',
    async () => {
      const made = await gateway.post('/v1/videos', { model, prompt: 'A sun rises' })
      const { id } = (await made.json()) as { id: string }
      expect(made.status).toBe(200)
      expect((await (await gateway.request(`/v1/videos/${id}`)).json()) as object).toMatchObject({
        status: 'completed',
      })
      const before = storage.seen.length
      const clip = await gateway.request(`/v1/videos/${id}/content`)
      expect([clip.status, await clip.text()]).toEqual([200, 'clip'])
      expect(storage.seen).toHaveLength(before + 1)
      const sent = JSON.stringify(storage.seen.slice(before))
      for (const secret of secrets) expect(sent).not.toContain(secret)
      // The provider itself has them with every request.
      for (const seen of upstream.seen) {
        expect(JSON.stringify(seen)).toContain(key)
        expect(seen.headers['x-operator']).toBe(operators)
      }
    },
  )
})
