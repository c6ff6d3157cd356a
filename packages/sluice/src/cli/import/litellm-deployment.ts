import { DefaultParameters, isObject, listOf, objectOf } from '@sluice/contract'
import { Compile } from 'typebox/schema'
import type { Path } from '../../config/references.ts'
import { providers } from '@sluice/gateway/providers/index.ts'
import type { ProviderDraft, ProviderDrafts } from './provider-drafts.ts'
import { leftInfo, leftParams } from './litellm-reasons.ts'
import { litellmUpstream } from './litellm-upstream.ts'
import type { SourceFields } from './source-fields.ts'
import { countOf, millisecondsOf, numberOf, perMillion, textOf } from './yaml-values.ts'

/** One entry of `model_list`. */
export interface Deployment {
  readonly path: Path
  /** What callers write. */
  readonly name: string
  /** `provider/model`, as routes have it. */
  readonly target: string
  readonly provider: string
  readonly weight: number | undefined
  readonly priority: number | undefined
  readonly requestsPerMinute: number | undefined
  readonly tokensPerMinute: number | undefined
  readonly maxConcurrent: number | undefined
  readonly retries: number | undefined
  readonly timeouts: Readonly<Record<string, number>>
  readonly defaults: Readonly<Record<string, unknown>>
  readonly price: Readonly<Record<string, unknown>>
  /** LiteLLM's groups of models that keys may name instead of models. */
  readonly accessGroups: readonly string[]
}

/** Parameters of chat requests that a route may have as defaults. */
const defaultNames: ReadonlySet<string> = new Set(Object.keys(DefaultParameters.properties))

const defaultsCheck = Compile(DefaultParameters)
const notUnderstood = 'its value is not understood'

/** Costs of LiteLLM per unit, the rates of a price that they are, and how many units that is of. */
const rates: Readonly<Record<string, readonly [rate: string, convert: (cost: number) => number]>> =
  {
    input_cost_per_token: ['input', perMillion],
    output_cost_per_token: ['output', perMillion],
    cache_read_input_token_cost: ['cacheRead', perMillion],
    cache_creation_input_token_cost: ['cacheWrite', perMillion],
    cache_creation_input_token_cost_above_1hr: ['cacheWrite1h', perMillion],
    input_cost_per_audio_token: ['audioInput', perMillion],
    output_cost_per_audio_token: ['audioOutput', perMillion],
    output_cost_per_reasoning_token: ['reasoning', perMillion],
    input_cost_per_character: ['characters', perMillion],
    input_cost_per_query: ['searchUnits', Number],
    input_cost_per_request: ['requests', Number],
    output_cost_per_image: ['images', Number],
  }

/** Reads an entry of `model_list`; undefined if nothing can be made of it. */
export function readDeployment(
  fields: SourceFields,
  {
    index,
    credentials,
    drafts,
  }: {
    readonly index: number
    readonly credentials: ReadonlyMap<string, Readonly<Record<string, unknown>>>
    readonly drafts: ProviderDrafts
  },
): Deployment | undefined {
  const path: Path = ['model_list', index]
  const entry = objectOf(listOf(objectOf(fields.value)['model_list'])[index])
  const given = objectOf(entry['litellm_params'])
  const named = textOf(given['litellm_credential_name'])
  const params = { ...(named === undefined ? {} : credentials.get(named)), ...given }
  const name = textOf(entry['model_name'])
  if (name === undefined) {
    fields.left(path, 'it has no model_name')
    return undefined
  }
  const at: Path = [...path, 'litellm_params']
  // Whoever reads one of them decides after this.
  for (const [key, why] of Object.entries(leftParams))
    if (key in given) fields.left([...at, key], why)
  const upstream = litellmUpstream(fields, { path: at, params })
  if (typeof upstream === 'string') {
    fields.leftWhole(path, upstream)
    return undefined
  }
  fields.taken([...path, 'model_name'], `models.${name}`)
  if (named !== undefined)
    fields.changed([...at, 'litellm_credential_name'], 'written into the provider')
  const provider = drafts.add(upstream.draft)
  const target = `${provider}/${upstream.model}`
  if (params['model'] === target) fields.taken([...at, 'model'], 'target')
  else fields.changed([...at, 'model'], target)
  const reader = { fields, params, at }
  const info = readInfo(fields, {
    path: [...path, 'model_info'],
    info: objectOf(entry['model_info']),
    isKnown: knowsItsModels(upstream.draft, upstream.model),
  })
  if (!upstream.model.includes('*'))
    drafts.describeModel(provider, { id: upstream.model, ...info.model })
  if ('blocked' in entry) fields.left([...path, 'blocked'], 'remove the target instead')
  return {
    path,
    name,
    provider,
    target,
    weight: take(reader, 'weight', numberOf, 'weight'),
    priority: take(reader, 'order', numberOf, 'priority'),
    requestsPerMinute: take(reader, 'rpm', countOf, 'requestsPerMinute of the target'),
    tokensPerMinute: take(reader, 'tpm', countOf, 'tokensPerMinute of the target'),
    maxConcurrent: take(reader, 'max_parallel_requests', countOf, 'maxConcurrent of the target'),
    retries: take(reader, 'max_retries', numberOf, '') ?? take(reader, 'num_retries', numberOf, ''),
    timeouts: readTimeouts(reader),
    defaults: readDefaults(reader),
    price: { ...readPrice(fields, params, at), ...info.price },
    accessGroups: info.accessGroups,
  }
}

/** Whether its models are those of a vendor, under the vendor's names. */
function knowsItsModels({ kind }: ProviderDraft, model: string): boolean {
  const provider = kind === undefined ? undefined : providers.get(kind)
  return (
    provider !== undefined && provider.local !== true && provider.namesByAccount?.(model) !== true
  )
}

interface ParamReader {
  readonly fields: SourceFields
  readonly params: Readonly<Record<string, unknown>>
  readonly at: Path
}

function take<Value>(
  { fields, params, at }: ParamReader,
  name: string,
  read: (value: unknown) => Value | undefined,
  to: string,
): Value | undefined {
  const value = params[name]
  if (value === undefined || value === null) return undefined
  const found = read(value)
  if (found === undefined) fields.left([...at, name], notUnderstood)
  else fields.changed([...at, name], to)
  return found
}

function readTimeouts(reader: ParamReader): Readonly<Record<string, number>> {
  const whole = take(reader, 'timeout', millisecondsOf, 'timeouts.headersMs and idleMs')
  const stream = take(reader, 'stream_timeout', millisecondsOf, 'timeouts.firstTokenMs')
  return timeoutsOf(whole, stream)
}

/**
 * LiteLLM gives its timeout to the HTTP client, which waits that long for the first bytes of a response and for each next ones,
 * not for the whole.
 */
export function timeoutsOf(whole: number | undefined, stream: number | undefined) {
  return {
    ...(whole !== undefined && { headersMs: whole, idleMs: whole }),
    ...(stream !== undefined && { firstTokenMs: stream }),
  }
}

/** LiteLLM counts what comes after the first attempt; more than ten are not made. */
export function attemptsOf(retries: number): number {
  return Math.min(10, Math.max(1, Math.round(retries) + 1))
}

function readDefaults({ fields, params, at }: ParamReader): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {}
  const read = (values: Readonly<Record<string, unknown>>, path: Path) => {
    for (const [name, value] of Object.entries(values)) {
      if (value === null || !defaultNames.has(name)) continue
      if (name === 'max_tokens' && 'max_completion_tokens' in values) {
        fields.left([...path, name], 'max_completion_tokens stands beside it')
        continue
      }
      const given = numberOf(value) ?? value
      if (!defaultsCheck.Check({ [name]: given })) {
        fields.left([...path, name], notUnderstood)
        continue
      }
      found[name] = given
      fields.taken([...path, name], 'defaults of the route')
    }
    const { thinking } = values
    if (!isObject(thinking)) return
    const budget = countOf(thinking['budget_tokens'])
    if (budget !== undefined) found['thinking_budget'] = budget
    else if (thinking['type'] === 'disabled') found['reasoning_effort'] = 'none'
    else
      return fields.left(
        [...path, 'thinking'],
        'without budget_tokens it says nothing that a default could',
      )
    fields.changed(
      [...path, 'thinking'],
      budget === undefined ? 'reasoning_effort: none' : 'thinking_budget',
    )
  }
  read(params, at)
  const body = objectOf(params['extra_body'])
  read(body, [...at, 'extra_body'])
  for (const name of Object.keys(body))
    if (!defaultNames.has(name) && name !== 'thinking')
      fields.left(
        [...at, 'extra_body', name],
        'no default parameter of a route; callers may send it',
      )
  return found
}

/** What LiteLLM calls the limits of a model, and the model behind a name that an account gave. */
const limitNames = ['max_tokens', 'max_input_tokens', 'max_output_tokens', 'base_model'] as const

function leaveLimits(
  fields: SourceFields,
  path: Path,
  info: Readonly<Record<string, unknown>>,
): Info['model'] {
  for (const name of limitNames)
    if (name in info) fields.left([...path, name], 'the limits of this provider’s models are known')
  return {}
}

function readLimits(
  fields: SourceFields,
  path: Path,
  info: Readonly<Record<string, unknown>>,
): Info['model'] {
  const [both, input, most] = limitNames.map((name) => countOf(info[name]))
  // LiteLLM: max_tokens is the most output if max_output_tokens is absent.
  const output = most ?? both
  const family = textOf(info['base_model'])?.replace(/^.*\//, '')
  if (both !== undefined && most !== undefined)
    fields.left([...path, 'max_tokens'], 'max_output_tokens stands beside it')
  else if (both !== undefined)
    fields.changed([...path, 'max_tokens'], 'outputTokenLimit of the model')
  if (most !== undefined)
    fields.changed([...path, 'max_output_tokens'], 'outputTokenLimit of the model')
  if (input !== undefined)
    fields.changed([...path, 'max_input_tokens'], 'inputTokenLimit of the model')
  if (family !== undefined)
    fields.changed([...path, 'base_model'], 'family and pricedAs of the model')
  return {
    ...(input !== undefined && { inputTokenLimit: input }),
    ...(output !== undefined && { outputTokenLimit: output }),
    ...(family !== undefined && { family, pricedAs: family }),
  }
}

function readPrice(
  fields: SourceFields,
  values: Readonly<Record<string, unknown>>,
  path: Path,
): Readonly<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const [name, [rate, convert]] of Object.entries(rates)) {
    const cost = numberOf(values[name])
    if (cost === undefined) continue
    if (cost < 0) {
      fields.left([...path, name], notUnderstood)
      continue
    }
    found[rate] = convert(cost)
    const unit = convert === perMillion ? ' of the price, per million' : ' of the price'
    fields.changed([...path, name], `${rate}${unit}`)
  }
  return found
}

interface InfoGiven {
  readonly path: Path
  readonly info: Readonly<Record<string, unknown>>
  /** Whether the limits of the provider's models are known. */
  readonly isKnown: boolean
}

interface Info {
  /** Its limits, and the model whose rules hold for it. */
  readonly model: Readonly<Record<string, string | number>>
  readonly price: Readonly<Record<string, number>>
  readonly accessGroups: readonly string[]
}

function readInfo(fields: SourceFields, { path, info, isKnown }: InfoGiven): Info {
  const model = isKnown ? leaveLimits(fields, path, info) : readLimits(fields, path, info)
  fields.taken([...path, 'mode'], 'each target serves the operations of its provider')
  const groups = listOf(info['access_groups']).map(String)
  if (groups.length > 0)
    fields.changed([...path, 'access_groups'], 'its models stand in the lists of imported keys')
  for (const [name, why] of Object.entries(leftInfo))
    if (name in info) fields.left([...path, name], why)
  for (const name of Object.keys(info))
    if (name.startsWith('supports_'))
      fields.left(
        [...path, name],
        'Sluice knows this by the model, or from the refusal of the provider',
      )
  return {
    model,
    price: readPrice(fields, info, path),
    accessGroups: groups,
  }
}
