import { type Fields, GatewayError, isObject, objectOf } from '@sluice/contract'
import type { TSchema } from 'typebox'
import { reportUnlistedIn } from '../../decisions.ts'
import { isNeutral } from '../../neutral-values.ts'
import type { FormatContext } from '../../client-format.ts'

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

/** The name of a field in the spelling of the request. `name` is in camel case. */
export function spelled(fields: Fields, name: string): string {
  return fields[name] == null && fields[snakeCase(name)] != null ? snakeCase(name) : name
}

type Undecided = Readonly<Record<string, 'hint' | 'refused'>>

/** Fields of a request that the canonical form cannot express (https://ai.google.dev/api/generate-content#request-body). */
export const requestFields: Undecided = {
  // Labels for billing, and a copy for Google's logs: neither has an effect on the response.
  labels: 'hint',
  store: 'hint',
  // Continues a response that stopped with the reason CONTINUATION.
  continuationToken: 'refused',
  // Vertex AI: filters of its own, and a store for what is made.
  modelArmorConfig: 'refused',
  generationOutputConfig: 'refused',
}

/** The same for the fields of its `generationConfig`. */
export const configFields: Undecided = {
  // Vertex AI: which model answers, which is a matter of the gateway's routes.
  routingConfig: 'hint',
  modelSelectionConfig: 'hint',
  enableAffectiveDialog: 'hint',
  audioTranscriptionConfig: 'refused',
  responseFormat: 'refused',
  translationConfig: 'refused',
}

/** Reports the fields that the canonical form cannot express, in the spelling of the request. */
export function nameLeftOut(
  schema: TSchema,
  request: Fields,
  reports: Pick<FormatContext, 'leftOut' | 'unsupported'>,
): void {
  const inner = pick(request, 'generateContentRequest')
  if (isObject(inner)) reportUnsupportedFields(inner, 'generateContentRequest.', reports)
  reportUnsupportedFields(request, '', reports)
  reportUnlistedIn(schema, request, reports)
}

function reportUnsupportedFields(
  request: Fields,
  root: string,
  reports: Pick<FormatContext, 'leftOut' | 'unsupported'>,
): void {
  const config = objectOf(pick(request, 'generationConfig'))
  const places = [
    [requestFields, request, root],
    [configFields, config, `${root}generationConfig.`],
  ] as const
  for (const [undecided, fields, path] of places)
    for (const [field, decision] of Object.entries(undecided)) {
      const name = spelled(fields, field)
      if (fields[name] === false || isNeutral(field, fields[name])) continue
      if (decision === 'hint') reports.leftOut(path + name)
      else reports.unsupported(path + name)
    }
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
