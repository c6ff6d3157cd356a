// Images of OpenAI's model generations with the parameters of either one, and clear errors for invalid parameters.
import { expect, test } from 'vitest'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { start } from '../../support/start.ts'

async function drawn(model: string, fields: object, provider = 'openai') {
  await using upstream = await fakeUpstream((_, response) =>
    json(response, { created: 1, data: [{ b64_json: 'AAAA' }] }),
  )
  await using gateway = await start({
    providers: { [provider]: { baseUrl: upstream.url, key: 'sk-of-the-upstream' } },
  })
  const answer = await gateway.post('/v1/images/generations', {
    model: `${provider}/${model}`,
    prompt: 'a cat',
    ...fields,
  })
  return { answer: await answer.json(), sent: upstream.seen[0]?.body }
}

test.each([
  ['gpt-image-1', { response_format: 'b64_json' }, {}],
  ['gpt-image-1', { quality: 'hd' }, { quality: 'high' }],
  ['gpt-image-1', { quality: 'standard' }, { quality: 'medium' }],
  ['dall-e-3', { quality: 'high' }, { quality: 'hd' }],
  ['dall-e-3', { quality: 'medium' }, { quality: 'standard' }],
  [
    'dall-e-3',
    { quality: 'hd', response_format: 'url' },
    { quality: 'hd', response_format: 'url' },
  ],
  ['flux', { quality: null, user: null, steps: 4 }, { steps: 4 }],
])('translates image fields for %s', async (model, fields, sent) => {
  expect((await drawn(model, fields)).sent).toEqual({ model, prompt: 'a cat', ...sent })
})

test('rejects response_format url for a model that answers base64 only', async () => {
  const { answer, sent } = await drawn('gpt-image-1', { response_format: 'url' })
  expect(sent).toBeUndefined()
  expect(answer).toMatchObject({ error: { param: 'response_format' } })
})

test.each(['2K', '16:9', '1024x1536', 'auto'])(
  'passes the size %s to a provider that knows it',
  async (size) => {
    const { sent } = await drawn('doubao-seedream-4', { size }, 'volcengine')
    expect(sent).toMatchObject({ size })
  },
)

test('translates a size to Gemini’s aspect ratio', async () => {
  const { sent } = await drawn('gemini-2.5-flash-image', { size: '16:9' }, 'google')
  expect(sent).toMatchObject({ generationConfig: { imageConfig: { aspectRatio: '16:9' } } })
})

test.each([
  ['/v1/images/generations', { size: 'huge' }, 'such as 1024x1024'],
  ['/v1/videos', { size: 'huge' }, 'such as 720x1280'],
  ['/v1/videos', { seconds: 'four' }, 'whole number of seconds'],
  ['/v1/images/generations', { size: '2K' }, 'Width and height'],
])('%s explains the valid form of %j', async (path, fields, words) => {
  await using gateway = await start({})
  const model = path.endsWith('videos') ? 'builtin-video' : 'builtin-image'
  const answer = await gateway.post(path, { model, prompt: 'a cat', ...fields })
  expect(answer.status).toBe(400)
  const told = await answer.text()
  expect(told).toContain(words)
  expect(told).not.toMatch(/[\^$\\]/)
})

const png = 'data:image/png;base64,iVBORw0KGgo='

test.each([
  { images: [{ image_url: png }] },
  { images: [png] },
  { image: png },
  { image: [png] },
  { image: { url: png } },
  { images: [{ type: 'image_url', image_url: { url: png } }] },
])('accepts the images of a JSON edit in any form: %j', async (fields) => {
  await using upstream = await fakeUpstream((_, response) =>
    json(response, { created: 1, data: [{ b64_json: 'AAAA' }] }),
  )
  await using gateway = await start({
    providers: { openai: { baseUrl: upstream.url, key: 'sk-of-the-upstream' } },
  })
  const body = { model: 'openai/gpt-image-1', prompt: 'blue', mask: png, ...fields }
  const answer = await gateway.post('/v1/images/edits', body)
  expect(await answer.json()).toMatchObject({ data: [{ b64_json: 'AAAA' }] })
  expect(upstream.seen[0]?.text).toContain('name="image"; filename="image-1.png"')
  expect(upstream.seen[0]?.text).toContain('name="mask"; filename="mask.png"')
  const wrong = await gateway.post('/v1/images/edits', { ...body, image: 7 })
  expect(await wrong.json()).toMatchObject({ error: { param: expect.stringMatching(/^image/) } })
})

test('answers 502 when an upstream returns no image', async () => {
  await using upstream = await fakeUpstream((_, response) => json(response, { data: [] }))
  await using gateway = await start({
    providers: { openai: { baseUrl: upstream.url, key: 'sk-of-the-upstream' } },
    defaults: { retries: { attempts: 1 } },
  })
  const body = { model: 'openai/gpt-image-1', prompt: 'a cat' }
  expect((await gateway.post('/v1/images/generations', body)).status).toBe(502)
})
