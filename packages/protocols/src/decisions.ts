import {
  type Fields,
  type OperationName,
  operations,
  type RequestOf,
  unlistedFields,
} from '@sluice/contract'
import type { TSchema } from 'typebox'
import { furtherFields } from './further-fields.ts'
import { reportFields, reportUnlistedIn } from './kept-elsewhere.ts'
import type { Reports } from './native-target.ts'
import { isNeutral } from './neutral-values.ts'
import { type Hint, reportUnsupported } from './report-unsupported.ts'
import { reportUnsupportedServerTools } from './tools/offered-server-tools.ts'

/**
 * What a codec does with each field of a request. When a field is added to an operation, the code does not compile until every
 * codec has decided about it.
 *
 * - `sent`: the codec sends it to the upstream, or decides by its value whether it can.
 * - `refused`: the upstream does not support it, and without it the response would mean something else.
 * - `hint`: the upstream does not support it, but it only advises: it is left out and reported.
 * - `passed`: sent on unchanged, with everything in it.
 * - `gateway`: handled outside the codec, such as `n` if the upstream gives only one choice.
 */
export type Decisions<O extends OperationName> = {
  readonly [F in keyof RequestOf<O>]-?:
    | 'sent'
    | 'passed'
    | 'gateway'
    | (F extends Hint ? 'hint' : 'refused')
} & (O extends 'chat' ? InMessages : unknown)

/** Fields in the parts of messages and on tools, about which a codec decides as about fields of the request. */
interface InMessages {
  readonly cache_control: 'sent' | 'hint'
}

/**
 * Handles everything in a request that the codec with these decisions does not support: rejects fields or reports them as left
 * out. Fields that no schema lists are reported too. Throws `unsupported_parameter` if the context does.
 */
export function applyDecisions<O extends OperationName>(
  operation: O,
  request: RequestOf<O>,
  decisions: Decisions<O>,
  context: Reports,
): void {
  const { request: schema } = operations[operation]
  const fields: Fields = request
  const decided = new Map<string, string>(Object.entries(decisions))
  // In the order of the schema, regardless of the order of the table.
  for (const field of Object.keys(schema.properties)) {
    const decision = decided.get(field)
    if (decision !== 'refused' && decision !== 'hint') continue
    if (field === 'web_search_options') reportUnsupportedSearch(request, context)
    else if (field === 'server_tools')
      reportUnsupportedServerTools(request as Partial<RequestOf<'chat'>>, context)
    else reportUnsupported(field, fields[field], context)
  }
  if (decided.get('cache_control') === 'hint')
    reportUnsupportedBreakpoints(request as Partial<RequestOf<'chat'>>, context)
  const unlisted = unlistedFields(schema, request).filter(({ path }) => {
    const dot = path.indexOf('.')
    return dot === -1 || decided.get(path.slice(0, dot)) !== 'passed'
  })
  reportFields(unlisted, context, furtherFields[operation])
}

/** Handles the fields of an operation's request that no schema lists, for a target that knows none of them. */
export function reportUnlisted(operation: OperationName, request: unknown, reports: Reports): void {
  const unlisted = unlistedFields(operations[operation].request, request)
  reportFields(unlisted, reports, furtherFields[operation])
}

/** The same for a target that is sent everything but what is inside these fields, which it gets in another form. */
export function reportUnlistedInside(
  operation: OperationName,
  fields: readonly string[],
  { request, reports }: { readonly request: unknown; readonly reports: Reports },
): void {
  const unlisted = unlistedFields(operations[operation].request, request)
  const inside = unlisted.filter(({ path }) => fields.some((field) => isInside(path, field)))
  reportFields(inside, reports)
}

function isInside(path: string, field: string): boolean {
  return path.startsWith(`${field}.`) || path.startsWith(`${field}[`)
}

/**
 * Handles a search request for a target that cannot search. Beside tools of the caller, a search is one more tool that the
 * model may use or not, as agents offer it, so it is left out. Alone, it is what the caller asked for, so the request is
 * rejected.
 */
function reportUnsupportedSearch(request: object, context: Reports): void {
  const { web_search_options: search, tools } = request as Partial<RequestOf<'chat'>>
  if (search != null && tools?.length) context.leftOut('web_search_options')
  else reportUnsupported('web_search_options', search, context)
}

/** Reports, once per request, that the target does not support cache breakpoints in parts of messages and on tools. */
export function reportUnsupportedBreakpoints(
  { messages, tools }: Partial<RequestOf<'chat'>>,
  { leftOut }: Pick<Reports, 'leftOut'>,
): void {
  const isMarked = (one: { readonly cache_control?: unknown }) => one.cache_control != null
  const isAsked =
    tools?.some(isMarked) === true ||
    messages?.some(({ content }) => Array.isArray(content) && content.some(isMarked)) === true
  if (isAsked) leftOut('cache_control')
}

/** Handles search and other server tools for a target that runs no tools itself. */
export function reportUnsupportedProviderTools(request: object, context: Reports): void {
  reportUnsupportedSearch(request, context)
  // Absent if the request belongs to another operation.
  reportUnsupportedServerTools(request as Partial<RequestOf<'chat'>>, context)
}

/**
 * Handles the fields of a body that the target does not support, and returns those of them that have a meaning: each is rejected
 * or reported.
 */
export function reportUnsupportedFields(
  body: Fields,
  lacks: readonly string[],
  context: Reports,
): readonly string[] {
  const given = [...new Set(lacks)].filter((field) => !isNeutral(field, body[field]))
  for (const field of given)
    if (field === 'web_search_options') reportUnsupportedSearch(body, context)
    else reportUnsupported(field, body[field], context)
  return given
}

/** The body without the fields that the target does not support; each of them is rejected or reported. */
export function withoutFields(body: Fields, lacks: readonly string[], context: Reports): Fields {
  reportUnsupportedFields(body, lacks, context)
  return Object.fromEntries(Object.entries(body).filter(([name]) => !lacks.includes(name)))
}

/** What `toCanonical` of a client format does with each field of its request. */
export type FormatDecisions<R> = Readonly<Record<keyof R, 'sent' | 'gateway' | 'refused' | 'hint'>>

/**
 * Handles everything in a request of a client format that the canonical form cannot express and only an upstream of the same
 * format could do. Reports the paths of the client format.
 */
export function applyFormatDecisions<R extends object>(
  schema: TSchema,
  request: R,
  decisions: FormatDecisions<R>,
  reports: Reports,
): void {
  const fields = request as Fields
  for (const [field, decision] of Object.entries(decisions)) {
    if (isNeutral(field, fields[field])) continue
    if (decision === 'hint') reports.leftOut(field)
    if (decision === 'refused') reports.unsupported(field)
  }
  reportUnlistedIn(schema, request, reports)
}

/** Whether the request gives the field a value that a target without the field would not respect. */
export function asksFor<R extends object>(request: R, field: keyof R & string): boolean {
  return !isNeutral(field, request[field])
}
