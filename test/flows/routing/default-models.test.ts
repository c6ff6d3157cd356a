import { expect, test } from 'vitest'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { start } from '../../support/start.ts'

const form = (fields: Readonly<Record<string, string | Blob>>): FormData => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  return data
}
// One red pixel.
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
)

test('uses the built-in models for images and videos without a model', async () => {
  await using gateway = await start()
  const image = await gateway.post('/v1/images/generations', { prompt: 'A red circle' })
  expect(image.status).toBe(200)
  await image.text()
  const edited = await gateway.request('/v1/images/edits', {
    method: 'POST',
    body: form({ prompt: 'Rotate it', image: new Blob([png], { type: 'image/png' }) }),
  })
  expect(edited.status).toBe(200)
  await edited.text()
  const video = await gateway.post('/v1/videos', { prompt: 'A sun', seconds: '1' })
  expect(video.status).toBe(200)
  expect(((await video.json()) as { model: string }).model).toMatch(/\S/)
})

test('uses the configured route for OpenAI’s default model name', async () => {
  await using upstream = await fakeUpstream((_, response) =>
    json(response, { created: 1, data: [{ b64_json: 'AA==' }] }),
  )
  await using gateway = await start({
    providers: { drawer: { type: 'openai', key: 'k', baseUrl: `${upstream.url}/v1` } },
    models: { 'gpt-image-2': 'drawer/best' },
  })
  const response = await gateway.post('/v1/images/generations', { prompt: 'A red circle' })
  expect(response.status).toBe(200)
  await response.text()
  expect(upstream.seen.at(-1)?.body).toMatchObject({ model: 'best', prompt: 'A red circle' })
})

test('requires a model for an image edit in JSON', async () => {
  await using gateway = await start()
  const response = await gateway.post('/v1/images/edits', {
    prompt: 'Rotate it',
    images: [{ image_url: `data:image/png;base64,${png.toString('base64')}` }],
  })
  const { error } = (await response.json()) as { error: { param: string } }
  expect({ status: response.status, param: error.param }).toEqual({ status: 400, param: 'model' })
})

test('requires a model where OpenAI has no default', async () => {
  await using gateway = await start()
  const response = await gateway.post('/v1/embeddings', { input: 'hi' })
  const { error } = (await response.json()) as { error: { param: string } }
  expect({ status: response.status, param: error.param }).toEqual({ status: 400, param: 'model' })
})
