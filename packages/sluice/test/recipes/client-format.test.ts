import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { compiled } from '../../../../test/support/clients/types/check-types.ts'
import { sectionOf } from '../../../../test/support/contributing.ts'
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

const source = (path: string) =>
  JSON.stringify(join(import.meta.dirname, '../../../protocols/src', path))

/** What a client format has to say of its bodies, and what of a request's size. */
const members = ['measure', 'outputLimit', 'continues', 'textsOf', 'messages']
const measured = [
  'media',
  'references',
  'choices',
  'thinkingBudget',
  'offersTools',
  'providerTools',
]

test('a client format that lacks one of these does not compile', async () => {
  const without = (type: string, member: string) =>
    `export const ${member}: ${type} = {} as Omit<${type}, '${member}'>`
  const lines = [
    `import type { ClientFormat } from ${source('client-format.ts')}`,
    `import type { Measured } from ${source('measure.ts')}`,
    ...members.map((member) => without("ClientFormat<'embed'>", member)),
    ...measured.map((member) => without('Measured', member)),
  ]
  const errors = [...(await compiled(lines.join('\n'))).matchAll(/Property '(\w+)' is missing/g)]
  expect(errors.map(([, member]) => member)).toEqual([...members, ...measured])
}, 60_000)

test('CONTRIBUTING.md says which members those are', () => {
  for (const name of members) expect(sectionOf('Add a client format')).toContain(`\`${name}\``)
})
