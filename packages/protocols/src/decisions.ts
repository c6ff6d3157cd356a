import {
  type ContentPart,
  type Fields,
  type OperationName,
  operations,
  type RequestOf,
  unlistedFields,
} from '@sluice/contract'
import type { TSchema } from 'typebox'
import { isNeutral } from './neutral-values.ts'
import type { CodecContext, FormatContext } from './protocol.ts'
import { lackServerTools } from './tools/offered-server-tools.ts'

/**
 * Fields that only advise: who asks, how words are drawn, how much to think or to say, what to cache or keep, what may
 * make an answer faster. An answer without them means the same, so that a target which lacks one never refuses the request.
 */
export const hints = [
  'frequency_penalty',
  'metadata',
  'parallel_tool_calls',
  'prediction',
  'presence_penalty',
  'prompt_cache_key',
  'reasoning_effort',
  'safety_identifier',
  'seed',
  'service_tier',
  'store',
  'temperature',
  'thinking_budget',
  'top_k',
  'top_p',
  'user',
  'verbosity',
] as const

type Hint = (typeof hints)[number]

/**
 * What a codec does with each field of a request. A field that is added to an operation does not compile until every
 * codec has decided.
 *
 * - `sent`: the codec says it to the upstream, or decides by its value whether it can.
 * - `refused`: the upstream has no word for it, and without it the answer would mean something else.
 * - `hint`: the upstream has no word for it, but it only advises: it is left out and named.
 * - `passed`: goes on as it came, with whatever is in it.
 * - `gateway`: done around the codec, such as `n`, where the upstream gives one choice at most.
 */
export type Decisions<O extends OperationName> = {
  readonly [F in keyof RequestOf<O>]-?:
    | 'sent'
    | 'passed'
    | 'gateway'
    | (F extends Hint ? 'hint' : 'refused')
} & (O extends 'chat' ? InMessages : unknown)

/** What stands in parts of messages and on tools, of which a codec decides as of fields. */
interface InMessages {
  readonly cache_control: 'sent' | 'hint'
}

type Reports = Pick<CodecContext, 'unsupported' | 'leftOut'>

/**
 * Says of a request everything that the codec with these decisions cannot: fields are refused or named, and what no
 * schema lists is named. Throws `unsupported_parameter` as the context does.
 */
export function applyDecisions<O extends OperationName>(
  operation: O,
  request: RequestOf<O>,
  decisions: Decisions<O>,
  context: Reports,
): void {
  const { request: schema } = operations[operation]
  const fields = new Map<string, unknown>(Object.entries(request))
  const decided = new Map<string, string>(Object.entries(decisions))
  // In the order of the schema, however a table is put together.
  for (const field of Object.keys(schema.properties)) {
    const decision = decided.get(field)
    if (decision !== 'refused' && decision !== 'hint') continue
    if (field === 'web_search_options') lackSearch(request, context)
    else if (field === 'server_tools')
      lackServerTools(request as Partial<RequestOf<'chat'>>, context)
    else lackField(field, fields.get(field), context)
  }
  if (decided.get('cache_control') === 'hint')
    lackBreakpoints(request as Partial<RequestOf<'chat'>>, context)
  for (const path of unlistedFields(schema, request))
    if (decided.get(path.split('.')[0] ?? '') !== 'passed') context.leftOut(path)
}

/**
 * Says of one field that the target lacks it: refused, or left out where it only advises. Nothing is said of a value
 * that equals what the target does anyway.
 */
export function lackField(field: string, value: unknown, context: Reports, reason?: string): void {
  if (isNeutral(field, value)) return
  if (isHint(field)) context.leftOut(field, reason)
  else context.unsupported(field, reason)
}

/**
 * Says that the target cannot search. Beside tools of the caller's own a search is one more that the model may use or
 * not, as agents offer it; alone it is what was asked for.
 */
function lackSearch(request: object, context: Reports): void {
  const { web_search_options: search, tools } = request as Partial<RequestOf<'chat'>>
  if (search != null && tools?.length) context.leftOut('web_search_options')
  else lackField('web_search_options', search, context)
}

/** Says that a target is not told what to cache: in parts of messages and on tools, named once. */
export function lackBreakpoints(
  { messages, tools }: Partial<RequestOf<'chat'>>,
  { leftOut }: Pick<Reports, 'leftOut'>,
): void {
  const isMarked = (one: { readonly cache_control?: unknown }) => one.cache_control != null
  const isAsked =
    tools?.some(isMarked) === true ||
    messages?.some(({ content }) => Array.isArray(content) && content.some(isMarked)) === true
  if (isAsked) leftOut('cache_control')
}

/** Says that a target runs no tools itself, neither a search nor others. */
export function lackProviderTools(request: object, context: Reports): void {
  lackSearch(request, context)
  // Absent where the request is of another operation.
  lackServerTools(request as Partial<RequestOf<'chat'>>, context)
}

/** Says that a picture cannot be looked at more or less closely. */
export function lackDetail(
  { image_url: image }: ContentPart,
  path: string,
  { leftOut }: Pick<CodecContext, 'leftOut'>,
): void {
  if (!isNeutral('detail', image?.detail)) leftOut(`${path}.image_url.detail`)
}

/** The body without the fields that the target lacks, each of which is said. */
export function withoutFields(body: Fields, lacks: readonly string[], context: Reports): Fields {
  for (const field of new Set(lacks))
    if (field === 'web_search_options') lackSearch(body, context)
    else lackField(field, body[field], context)
  return Object.fromEntries(Object.entries(body).filter(([name]) => !lacks.includes(name)))
}

function isHint(field: string): boolean {
  return hints.some((hint) => hint === field)
}

/** What a client format's `toCanonical` does with each field of its request. */
export type FormatDecisions<R> = Readonly<Record<keyof R, 'sent' | 'gateway' | 'refused' | 'hint'>>

/**
 * Says of a request in a client format everything that the canonical form cannot, by its own paths: what an upstream of
 * this format alone could do.
 */
export function applyFormatDecisions<R extends object>(
  schema: TSchema,
  request: R,
  decisions: FormatDecisions<R>,
  { leftOut, unsupported }: Pick<FormatContext, 'leftOut' | 'unsupported'>,
): void {
  const fields = new Map<string, unknown>(Object.entries(request))
  for (const [field, decision] of Object.entries(decisions)) {
    if (isNeutral(field, fields.get(field))) continue
    if (decision === 'hint') leftOut(field)
    if (decision === 'refused') unsupported(field)
  }
  for (const path of unlistedFields(schema, request)) leftOut(path)
}

/** True where the request gives the field a value that a target without the field would not honour. */
export function asksFor<R extends object>(request: R, field: keyof R & string): boolean {
  return !isNeutral(field, request[field])
}
