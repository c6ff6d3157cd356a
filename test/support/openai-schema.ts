import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { afterEach, expect } from 'vitest'
import { parse } from 'yaml'
import { leaveOut } from './leave-out.ts'

const file = join(import.meta.dirname, '../../../shared/reference/openai-openapi.yaml')

/** Whether OpenAI's own description of its API is at hand; it lies beside the repository, not in it. */
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

/** `nullable` is a word of OpenAPI 3.0 that JSON Schema does not know: or null. */
function withNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNulls)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, withNulls(part)]),
  )
  const { nullable, ...rest } = fields
  return nullable === true ? { anyOf: [rest, { type: 'null' }] } : fields
}

/** What the test that runs could not be held to. */
const unchecked = new Set<string>()

// At its end, so that everything else in it was checked: a test that fails fails with or without the description.
afterEach((context) => {
  const names = [...unchecked].join(', ')
  unchecked.clear()
  if (names === '' || context.task.result?.state === 'fail') return
  leaveOut(context, `there is no ${file} to check ${names} against`)
})

/**
 * Fails unless a value is what OpenAI's description says of `name`. Where that is absent the test is skipped at its end,
 * and says so; on CI that is a failure.
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
