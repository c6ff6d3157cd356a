import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { formatOperations, operationsFile } from '../../../build/console-api.ts'
import { createOpenApi } from '../../server/src/openapi.ts'
import { addresses } from '../../server/src/routes.ts'

const documentOf = (among: typeof addresses) =>
  JSON.parse(JSON.stringify(createOpenApi(among))) as Record<string, unknown>

test('the console’s types match the OpenAPI document: npm run console:api', () => {
  expect(readFileSync(operationsFile, 'utf8')).toBe(formatOperations(documentOf(addresses)))
})

test('the types change when a path changes', () => {
  const fewer = addresses.filter(({ path }) => path !== '/admin/v1/audit')
  expect(formatOperations(documentOf(fewer))).not.toContain('listAudit')
})
