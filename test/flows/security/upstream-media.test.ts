// Media from an upstream, served from the gateway's origin, cannot run scripts in a browser.
import { describe, expect, test } from 'vitest'
import { type Answering, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { at } from '../../support/routes.ts'
import { type Started, start } from '../../support/start.ts'

const task = { id: 'up_1', object: 'video', model: 'sora', status: 'completed', created_at: 1 }
const finished = { ...task, progress: 100, seconds: '4', size: '720x1280' }

/** An upstream whose finished clip has this media type; absent: none is named. */
function clipOf(contentType: string | undefined): Answering {
  return (seen, response) => {
    if (!seen.path.split('?')[0]?.endsWith('/content')) return json(response, finished)
    response.writeHead(200, contentType === undefined ? {} : { 'content-type': contentType })
    response.end('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
  }
}

async function clip(gateway: Started, query = ''): Promise<Response> {
  const made = await gateway.post('/v1/videos', { model: 'only/sora', prompt: 'a' })
  const { id } = (await made.json()) as { id: string }
  return gateway.request(`/v1/videos/${id}/content${query}`)
}

function expectHarmless({ headers }: Response): void {
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
  expect(headers.get('content-disposition')).toBe('attachment')
}

describe('a video from an upstream', () => {
  const passed = [
    ['video/mp4', 'video/mp4'],
    ['video/webm; codecs="vp9"', 'video/webm; codecs="vp9"'],
    ['audio/mpeg', 'audio/mpeg'],
    ['IMAGE/WebP', 'IMAGE/WebP'],
    ['image/jpeg', 'image/jpeg'],
    ['application/octet-stream', 'video/mp4'],
    [undefined, 'video/mp4'],
  ] as const
  test.each(passed)('of type %s is served as %s', async (given, sent) => {
    await using only = await fakeUpstream(clipOf(given))
    await using gateway = await start(at({ only }))
    const response = await clip(gateway)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(sent)
    expectHarmless(response)
  })

  const refused = [
    'image/svg+xml',
    'IMAGE/SVG+XML; charset=utf-8',
    'image/svg',
    'application/xhtml+xml',
    'application/xml',
    'application/pdf',
    'application/javascript',
    'multipart/x-mixed-replace; boundary=x',
    'message/rfc822',
    'text/html',
    'text/xml',
    'video/mp4, text/html',
    'video/../html',
    'chemical/x-pdb',
    'x',
  ]
  test.each(refused)('of type %s is rejected', async (given) => {
    await using only = await fakeUpstream(clipOf(given))
    await using gateway = await start(at({ only }))
    for (const query of ['', '?variant=thumbnail']) {
      const response = await clip(gateway, query)
      expect(response.status).toBe(502)
      expect(response.headers.get('content-type')).toMatch(/^application\/json/)
      expect(await response.text()).not.toContain('alert(1)')
    }
  })
})

test('serves a generated image with harmless headers', async () => {
  await using gateway = await start()
  const body = { model: 'builtin-image', prompt: 'A red circle', size: '256x256' }
  const made = await gateway.post('/v1/images/generations', { ...body, response_format: 'url' })
  const { data } = (await made.json()) as { data: readonly { url: string }[] }
  const response = await fetch(data[0]?.url ?? '')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^image\/(?:png|jpeg|webp)$/)
  expectHarmless(response)
})

test('serves a video of the built-in engine with harmless headers', async () => {
  await using gateway = await start()
  const made = await gateway.post('/v1/videos', { model: 'builtin-video', prompt: 'A red circle' })
  const { id } = (await made.json()) as { id: string }
  await expect
    .poll(async () => (await gateway.request(`/v1/videos/${id}`)).json())
    .toMatchObject({ status: 'completed' })
  for (const range of [undefined, 'bytes=0-9']) {
    const headers: Record<string, string> = range === undefined ? {} : { range }
    const response = await gateway.request(`/v1/videos/${id}/content`, { headers })
    expect(response.status).toBe(range === undefined ? 200 : 206)
    expectHarmless(response)
  }
})
