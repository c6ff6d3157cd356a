import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { afterEach, expect } from 'vitest'
import { parse } from 'yaml'
import { leaveOut } from '../leave-out.ts'

const file = join(import.meta.dirname, '../../../../shared/reference/openai-openapi.yaml')

/** Whether OpenAI's own description of its API is available; it is stored beside the repository, not in it. */
const openAiSchemaIsPresent = existsSync(file)

let ajv: Ajv2020 | undefined

function loaded(): Ajv2020 {
  if (ajv) return ajv
  ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, logger: false })
  ajvFormats.default(ajv)
  const document: unknown = parse(readFileSync(file, 'utf8'))
  ajv.addSchema(withNulls(document) as object, 'openai')
  return ajv
}

/** Replaces `nullable` of OpenAPI 3.0, which JSON Schema does not have, by a union with null. */
function withNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNulls)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, withNulls(part)]),
  )
  const { nullable, ...rest } = fields
  return nullable === true ? { anyOf: [rest, { type: 'null' }] } : fields
}

/** The schema names that the current test could not check. */
const unchecked = new Set<string>()

// At the end of the test, so that everything else in it was checked: a failing test fails with or without the description.
afterEach((context) => {
  const names = [...unchecked].join(', ')
  unchecked.clear()
  if (names === '' || context.task.result?.state === 'fail') return
  leaveOut(context, `there is no ${file} to check ${names} against`)
})

/**
 * Fails unless a value matches OpenAI's description of `name`. If the description is missing, the test is reported as skipped
 * at its end; on CI it fails.
 */
export function expectOpenAi(name: string, value: unknown): void {
  if (!openAiSchemaIsPresent) {
    unchecked.add(name)
    return
  }
  const check = loaded().getSchema(`openai#/components/schemas/${name}`)
  if (!check) throw new Error(`OpenAI describes no ${name}`)
  void check(value)
  const faults = (check.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath} ${message}`,
  )
  expect(faults, `${name}: ${JSON.stringify(value)?.slice(0, 2_000)}`).toEqual([])
}
