import { type Fields, isObject, objectOf } from '@sluice/contract'
import type { TSchema } from 'typebox'
import { reportUnlistedIn } from '../../kept-elsewhere.ts'
import { isNeutral } from '../../neutral-values.ts'
import type { FormatContext } from '../../client-format.ts'
import { pick, spelled } from '../spelling.ts'

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
