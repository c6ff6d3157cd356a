import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/schema'
import { GatewayError } from '../core/errors.ts'
import { explain } from './explain-mismatch.ts'

const compiled = new WeakMap<TSchema, (value: unknown) => boolean>()

/** Compiled on first use, so that a process does not spend time on the schemas of operations that it never serves. */
function checker(schema: TSchema): (value: unknown) => boolean {
  const known = compiled.get(schema)
  if (known) return known
  const validator = Compile(schema)
  const check = (value: unknown): boolean => validator.Check(value)
  compiled.set(schema, check)
  return check
}

/**
 * Returns the value with the schema's type. Throws GatewayError `invalid_request` or `missing_parameter`, whose `param` is the
 * path of the first field at fault.
 */
export function validate<S extends TSchema>(schema: S, value: unknown): Static<S> {
  if (checker(schema)(value)) return value as Static<S>
  const mismatch = explain(schema, value) ?? { path: '', message: 'The request is not valid' }
  const { path, message, missing } = mismatch
  throw new GatewayError(
    missing === true ? 'missing_parameter' : 'invalid_request',
    message,
    path === '' ? {} : { param: path },
  )
}

/** Whether a value matches a schema, if no explanation is needed. */
export function matches<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  return checker(schema)(value)
}
