import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { expectContract } from '../../support/formats/contract-shapes.ts'
import { expectOpenAi } from '../../support/formats/openai-schema.ts'
import { type Started, start } from '../../support/start.ts'

/** Pictures and videos of the contract: the three forms of an edit, the states of a task, its clip in ranges. */
let gateway: Started
let red: Buffer
beforeAll(async () => {
  gateway = await start()
  const background = { r: 220, g: 40, b: 30 }
  red = await sharp({ create: { width: 80, height: 40, channels: 3, background } })
    .png()
    .toBuffer()
})
afterAll(() => gateway[Symbol.asyncDispose]())

interface Images {
  readonly data: readonly {
    readonly url: string
    readonly b64_json: string
    readonly revised_prompt: string
  }[]
}

async function picturesOf(response: Response): Promise<Images> {
  const answer: unknown = await response.json()
  expect({ status: response.status, answer }).toEqual({ status: 200, answer })
  expectContract('images', answer)
  expectOpenAi('ImagesResponse', answer)
  return answer as Images
}

/** The picture behind an address that needs no key, as raw red, green and blue. */
async function seenAt(url: string) {
  const response = await fetch(url)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^image\//)
  return pixelsOf(Buffer.from(await response.arrayBuffer()))
}

async function pixelsOf(bytes: Buffer) {
  const { data, info } = await sharp(bytes)
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  return {
    width: info.width,
    height: info.height,
    format: (await sharp(bytes).metadata()).format,
    data,
  }
}

const dataUrl = () => `data:image/png;base64,${red.toString('base64')}`
const contractForm = (text: string, parameters: object = {}) => ({
  model: 'qwen-image-edit',
  input: { messages: [{ role: 'user', content: [{ image: dataUrl() }, { text }] }] },
  parameters,
})

/** Whether red, green and blue are alike everywhere. */
const isGray = (data: Buffer) =>
  data.every((value, at) => Math.abs(value - (data[at - (at % 3)] ?? 0)) <= 2)

describe('an image edit in the contract’s format', () => {
  const edit = async (text: string, parameters: object = {}) =>
    picturesOf(await gateway.post('/v1/images/edits', contractForm(text, parameters)))

  test('applies the instruction and answers with a URL', async () => {
    const { data } = await edit('Make it grayscale and rotate it by 90 degrees')
    expect(data).toHaveLength(1)
    const { width, height, data: pixels } = await seenAt(data[0]?.url ?? '')
    expect([width, height]).toEqual([40, 80])
    expect(isGray(pixels)).toBe(true)
  })

  test.each([1, 2, 6])('answers n images: %i', async (n) => {
    expect((await edit('Invert the colors', { n })).data).toHaveLength(n)
  })

  test('reports the revised prompt unless prompt_extend is off', async () => {
    expect((await edit('Make it grayscale')).data[0]?.revised_prompt).toMatch(/gr[ae]yscale/i)
    expect(
      (await edit('Make it grayscale', { prompt_extend: true })).data[0]?.revised_prompt,
    ).not.toBe('')
    expect(
      (await edit('Make it grayscale', { prompt_extend: false })).data[0]?.revised_prompt,
    ).toBe('')
  })

  test('negative_prompt excludes an operation', async () => {
    const { data } = await edit('Make it grayscale and flip it', { negative_prompt: 'grayscale' })
    expect(isGray((await seenAt(data[0]?.url ?? '')).data)).toBe(false)
  })

  test('draws a watermark if asked', async () => {
    const [plain] = (await edit('Flip it', { watermark: false })).data
    const [marked] = (await edit('Flip it', { watermark: true })).data
    const differing = await Promise.all([seenAt(plain?.url ?? ''), seenAt(marked?.url ?? '')])
    expect(differing[0].data.equals(differing[1].data)).toBe(false)
  })

  test('does not fetch an image from a private address', async () => {
    const body = contractForm('Flip it')
    body.input.messages[0]?.content.splice(0, 1, { image: `${gateway.url}/images/x.png` })
    const response = await gateway.post('/v1/images/edits', body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { param: 'input.messages[0].content[0].image' },
    })
  })
})

describe('an image edit in OpenAI’s formats', () => {
  test('multipart', async () => {
    const form = new FormData()
    form.set('model', 'gpt-image-1')
    form.set('prompt', 'Make it grayscale')
    form.set('image', new File([red], 'red.png', { type: 'image/png' }))
    form.set('output_format', 'webp')
    const { data } = await picturesOf(
      await gateway.request('/v1/images/edits', { method: 'POST', body: form }),
    )
    const picture = await pixelsOf(Buffer.from(data[0]?.b64_json ?? '', 'base64'))
    expect(picture.format).toBe('webp')
    expect([picture.width, picture.height]).toEqual([80, 40])
    const mean = (channel: number) => picture.data[channel] ?? 0
    expect(Math.abs(mean(0) - mean(2))).toBeLessThan(8)
  })

  test('several images as image[]', async () => {
    const form = new FormData()
    form.set('model', 'gpt-image-1')
    form.set('prompt', 'Put them side by side')
    for (const name of ['a.png', 'b.png'])
      form.append('image[]', new File([red], name, { type: 'image/png' }))
    const { data } = await picturesOf(
      await gateway.request('/v1/images/edits', { method: 'POST', body: form }),
    )
    expect((await pixelsOf(Buffer.from(data[0]?.b64_json ?? '', 'base64'))).width).toBeGreaterThan(
      80,
    )
  })

  test('JSON', async () => {
    const { data } = await picturesOf(
      await gateway.post('/v1/images/edits', {
        model: 'gpt-image-1',
        prompt: 'Invert the colours',
        images: [{ image_url: dataUrl() }],
        n: 2,
        response_format: 'url',
      }),
    )
    expect(data).toHaveLength(2)
    const { data: pixels } = await seenAt(data[0]?.url ?? '')
    expect(pixels[0]).toBeLessThan(60)
    expect(pixels[2]).toBeGreaterThan(200)
  })

  test('streams partial images and the final one', async () => {
    const response = await gateway.post('/v1/images/generations', {
      model: 'gpt-image-1',
      prompt: 'A red circle',
      size: '256x256',
      stream: true,
      partial_images: 2,
    })
    const events = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'))
    const types = events.map((line) => (JSON.parse(line.slice(6)) as { type: string }).type)
    expect(types.at(-1)).toBe('image_generation.completed')
    expect(types.slice(0, -1)).toEqual(
      Array.from({ length: 2 }, () => 'image_generation.partial_image'),
    )
  })
})

interface Video {
  readonly id: string
  readonly status: string
  readonly progress: number
  readonly [field: string]: unknown
}

const request = {
  model: 'sora-2',
  prompt: 'A yellow sun rises over the sea',
  size: '720x1280',
  seconds: '4',
}

async function videoOf(response: Response): Promise<Video> {
  const video: unknown = await response.json()
  expect({ status: response.status, video }).toEqual({ status: 200, video })
  expectContract('video', video)
  // OpenAI offers four sizes; smaller ones are an addition, and quicker.
  expectOpenAi('VideoResource', { ...(video as Video), size: request.size })
  return video as Video
}

const find = async (id: string) => videoOf(await gateway.request(`/v1/videos/${id}`))

async function ended(id: string): Promise<Video> {
  return vi.waitFor(
    async () => {
      const video = await find(id)
      expect(['completed', 'failed']).toContain(video.status)
      return video
    },
    { timeout: 60_000, interval: 30 },
  )
}

test('a video goes from queued through in_progress to completed, and its progress never decreases', async () => {
  const created = await videoOf(await gateway.post('/v1/videos', request))
  expect(created).toMatchObject({
    status: 'queued',
    progress: 0,
    seconds: '4',
    model: 'sora-2',
    completed_at: null,
  })
  const behind = await videoOf(await gateway.post('/v1/videos', { ...request, size: '64x64' }))
  const seen: Video[] = []
  await vi.waitFor(
    async () => {
      seen.push(await find(created.id))
      expect(seen.at(-1)?.status).toBe('completed')
    },
    { timeout: 60_000, interval: 30 },
  )
  const statuses = seen.map(({ status }) => status)
  expect(new Set(statuses)).toEqual(
    new Set([...(statuses[0] === 'queued' ? ['queued'] : []), 'in_progress', 'completed']),
  )
  expect(statuses).toEqual(statuses.toSorted((a, b) => rank(a) - rank(b)))
  const progress = seen.map((video) => video.progress)
  expect(progress).toEqual(progress.toSorted((a, b) => a - b))
  expect(new Set(progress).size).toBeGreaterThan(3)
  expect(seen.at(-1)).toMatchObject({
    progress: 100,
    error: null,
    completed_at: expect.any(Number),
  })
  // Terminal states never change.
  expect(await find(created.id)).toEqual(seen.at(-1))
  await ended(behind.id)
}, 120_000)

const rank = (status: string) => ['queued', 'in_progress', 'completed'].indexOf(status)

test('a failed video task has an error and no content', async () => {
  const before = await videoOf(await gateway.post('/v1/videos', { ...request, size: '256x256' }))
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...request, size: '64x64' })) form.set(name, value)
  form.set('input_reference', new File([red], 'red.png', { type: 'image/png' }))
  const { id } = await videoOf(await gateway.request('/v1/videos', { method: 'POST', body: form }))
  await gateway.gateway.store.removeFiles(id, ['input'])
  expect(await ended(id)).toMatchObject({
    status: 'failed',
    completed_at: null,
    error: { code: 'not_found', message: 'The first frame of this video is no longer available' },
    metadata: { url: null },
  })
  const content = await gateway.request(`/v1/videos/${id}/content`)
  expect(content.status).toBe(400)
  expectContract('error', await content.json())
  expect(await ended(before.id)).toMatchObject({ status: 'completed' })
}, 60_000)

test('a video serves ranges and a thumbnail, is listed, and is gone after its deletion', async () => {
  const { id } = await videoOf(
    await gateway.post('/v1/videos', { ...request, size: '128x96', seconds: '1' }),
  )
  const early = await gateway.request(`/v1/videos/${id}/content`)
  if (early.status !== 200) expect(early.status).toBe(400)
  expect(await ended(id)).toMatchObject({ status: 'completed' })
  const content = (range?: string) =>
    gateway.request(`/v1/videos/${id}/content`, range === undefined ? {} : { headers: { range } })
  const whole = await content()
  expect(whole.headers.get('content-type')).toBe('video/mp4')
  expect(whole.headers.get('accept-ranges')).toBe('bytes')
  const clip = Buffer.from(await whole.arrayBuffer())
  expect(whole.headers.get('content-length')).toBe(String(clip.length))
  for (const [range, from, to] of [
    ['bytes=0-99', 0, 100],
    ['bytes=100-', 100, clip.length],
    ['bytes=-50', clip.length - 50, clip.length],
    [`bytes=0-${clip.length * 2}`, 0, clip.length],
  ] as const) {
    const part = await content(range)
    expect([range, part.status, part.headers.get('content-range')]).toEqual([
      range,
      206,
      `bytes ${from}-${to - 1}/${clip.length}`,
    ])
    expect(Buffer.from(await part.arrayBuffer()).equals(clip.subarray(from, to))).toBe(true)
  }
  const beyond = await content(`bytes=${clip.length}-`)
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([
    416,
    `bytes */${clip.length}`,
  ])
  expectContract('error', await beyond.json())
  expect((await content('lines=1-2')).status).toBe(200)

  const still = await gateway.request(`/v1/videos/${id}/content?variant=thumbnail`)
  const { format, width, height } = await sharp(await still.arrayBuffer()).metadata()
  expect([format, width, height]).toEqual(['webp', 128, 96])

  const list: unknown = await (await gateway.request('/v1/videos?limit=1')).json()
  expectContract('video', (list as { data: unknown[] }).data[0])
  expect(list).toMatchObject({ object: 'list', first_id: id, last_id: id, has_more: true })
  const rest = await (await gateway.request(`/v1/videos?after=${id}&limit=100`)).json()
  expect(rest).toMatchObject({ has_more: false })
  expect(JSON.stringify(rest)).not.toContain(id)

  const deleted: unknown = await (
    await gateway.request(`/v1/videos/${id}`, { method: 'DELETE' })
  ).json()
  expectOpenAi('DeletedVideoResource', deleted)
  for (const path of [`/v1/videos/${id}`, `/v1/videos/${id}/content`, '/v1/videos/video_never']) {
    const gone = await gateway.request(path)
    expect(gone.status).toBe(404)
    expectContract('error', await gone.json())
  }
}, 60_000)

test('a video task of another key answers 404', async () => {
  await using own = await start({ keys: [{ name: 'other', key: 'sk-other0123456789' }] })
  const created = await own.post('/v1/videos', { ...request, size: '64x64', seconds: '1' })
  const { id } = (await created.json()) as Video
  for (const method of ['GET', 'DELETE'])
    expect(
      (await own.request(`/v1/videos/${id}`, { method, key: 'sk-other0123456789' })).status,
    ).toBe(404)
  expect((await own.request(`/v1/videos/${id}`)).status).toBe(200)
})
