import { expect, test, vi } from 'vitest'
import { start } from '../../../../test/support/start.ts'
import type { formats } from '../../../protocols/src/formats.ts'

vi.mock('../../../protocols/src/formats.ts', async (original) => {
  const { formats: known } = await original<{ formats: typeof formats }>()
  const { acme } = await import('./acme-format.ts')
  return { formats: [...known, acme] }
})

test('serves and describes an added client format', async () => {
  await using gateway = await start()
  const answer = await gateway.post('/acme/vectors', { model: 'builtin-embed', texts: ['a', 'b'] })
  expect(await answer.json()).toEqual({
    vectors: [expect.arrayContaining([expect.any(Number)]), expect.any(Array)],
  })
  const refused = await gateway.post('/acme/vectors', { model: 'builtin-embed' })
  expect(refused.status).toBe(400)
  expect(await refused.json()).toEqual({ wrong: expect.stringContaining('texts') })
  const document = await gateway.request('/openapi.json')
  expect(await document.json()).toMatchObject({
    paths: { '/acme/vectors': { post: { summary: 'Vectors of texts' } } },
  })
})
