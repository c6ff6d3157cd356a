import { type Fields, GatewayError, isObject, unlistedFields } from '@sluice/contract'
import type { TSchema } from 'typebox'
import { isNeutral } from '../../neutral-values.ts'
import type { FormatContext } from '../../protocol.ts'

const spellings = new Map<string, string>()

/** Google reads every field in camel case and in snake case (protobuf's JSON mapping). */
export function snakeCase(name: string): string {
  const known = spellings.get(name)
  if (known !== undefined) return known
  const made = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  spellings.set(name, made)
  return made
}

/** The field in either spelling; `name` is in camel case. null counts as absent. */
export function pick(fields: Fields, name: string): unknown {
  return fields[name] ?? fields[snakeCase(name)] ?? undefined
}

/** A path of names in camel case, in the spelling that the request has of each. */
export function spelledPath(path: string, request: unknown): string {
  let fields = request
  const names = path.split('.').map((name) => {
    const known = isObject(fields) ? fields : {}
    const snake = snakeCase(name)
    const own = known[name] === undefined && known[snake] !== undefined ? snake : name
    fields = known[own]
    return own
  })
  return names.join('.')
}

/** Listed fields that have no effect on the response: labels for billing, and a copy for Google's logs. */
const hints = ['labels', 'store']

/** Reports the fields that the canonical form cannot express, in the spelling of the request. */
export function nameLeftOut(
  schema: TSchema,
  request: Fields,
  { leftOut }: Pick<FormatContext, 'leftOut'>,
): void {
  for (const field of hints) if (!isNeutral(field, request[field])) leftOut(field)
  for (const path of unlistedFields(schema, request)) leftOut(path)
}

/** Rejects a field that only Gemini itself supports. The error names the field. */
export function refuse(param: string, reason?: string): never {
  throw new GatewayError(
    'unsupported_parameter',
    `'${param}' is not supported by this model${reason === undefined ? '' : `: ${reason}`}`,
    { param },
  )
}

export function missing(param: string): GatewayError {
  return new GatewayError('missing_parameter', `Missing required parameter: '${param}'`, { param })
}
