import { attemptsOf, type Deployment } from './litellm-deployment.ts'
import type { Fallbacks, Sections } from './litellm-sections.ts'
import type { ProviderDrafts } from './provider-drafts.ts'
import type { SourceFields } from './source-fields.ts'

interface Target {
  readonly target: string
  readonly [option: string]: unknown
}

interface Route {
  targets: readonly (string | Target)[]
  readonly [option: string]: unknown
}

interface Given {
  readonly deployments: readonly Deployment[]
  readonly drafts: ProviderDrafts
  readonly sections: Sections
}

type Models = Readonly<Record<string, string | Route>>

/** The routes of LiteLLM's model names. */
export function litellmRoutes(
  fields: SourceFields,
  { deployments, sections }: Given,
): { readonly models: Models; readonly defaultModel: string | undefined } {
  const byName = Map.groupBy(deployments, ({ name }) => name)
  const models = new Map<string, string | Route>()
  let defaultModel = sections.defaultModel
  for (const [name, entries] of byName) {
    const [first] = entries
    if (!first) continue
    if (name === '*' && !first.target.endsWith('*')) {
      // LiteLLM sends every name that it does not know there.
      defaultModel ??= first.target
      fields.changed([...first.path, 'model_name'], `defaultModel: ${first.target}`)
      leaveOthers(fields, entries.slice(1), 'only one target can be the default model')
      continue
    }
    const fitting = entries.filter(({ target }) => target.includes('*') === name.includes('*'))
    const others = entries.filter((one) => !fitting.includes(one))
    leaveOthers(fields, others, 'the name and its target both have a *, or neither has one')
    if (fitting.length === 0) continue
    const route = routeOf(fields, fitting, sections)
    if (name !== first.target || typeof route !== 'string') models.set(name, route)
    else fields.taken([...first.path, 'model_name'], 'it can be asked for without a route')
  }
  addFallbacks(fields, models, sections)
  for (const { alias, model, path } of sections.aliases) {
    const route = models.get(model)
    if (route === undefined) fields.left(path, `there is no model ${model}`)
    else {
      models.set(alias, route)
      fields.changed(path, `models.${alias} is as models.${model}`)
    }
  }
  if (defaultModel !== undefined && !models.has(defaultModel) && !defaultModel.includes('/')) {
    if (sections.defaultModelPath)
      fields.left(sections.defaultModelPath, `there is no model ${defaultModel}`)
    defaultModel = undefined
  }
  return { models: Object.fromEntries(models), defaultModel }
}

function leaveOthers(fields: SourceFields, entries: readonly Deployment[], why: string): void {
  for (const { path } of entries) fields.leftWhole(path, why)
}

function routeOf(
  fields: SourceFields,
  entries: readonly Deployment[],
  { strategy }: Sections,
): string | Route {
  const unique = joined(fields, entries)
  const weights = weightsOf(unique)
  const targets = unique.map((one, index) => targetOf(one, weights?.[index]))
  const options = {
    ...(unique.length > 1 && strategy),
    ...defaultsOf(fields, unique),
    ...retriesOf(unique),
  }
  const [only, ...more] = targets
  const isPlain = only !== undefined && more.length === 0 && Object.keys(options).length === 0
  if (isPlain && Object.keys(only).length === 1) return only.target
  return {
    targets: targets.map((one) => (Object.keys(one).length === 1 ? one.target : one)),
    ...options,
  }
}

/** Entries with the same target are one: LiteLLM knows them by different ids, which say nothing. */
function joined(fields: SourceFields, entries: readonly Deployment[]): readonly Deployment[] {
  const found = new Map<string, Deployment>()
  for (const entry of entries) {
    const known = found.get(entry.target)
    if (known) fields.changed([...entry.path, 'model_name'], `${entry.target} is a target already`)
    else found.set(entry.target, entry)
  }
  return [...found.values()]
}

/** LiteLLM chooses by weights, else by rpm, else by tpm, if the first entry has them; undefined where all are equal. */
function weightsOf(entries: readonly Deployment[]): readonly (number | undefined)[] | undefined {
  if (entries.length < 2) return undefined
  for (const by of ['weight', 'requestsPerMinute', 'tokensPerMinute'] as const) {
    const values = entries.map((one) => one[by])
    const known = values.filter((value): value is number => value !== undefined && value > 0)
    if (known.length === 0) continue
    const least = Math.min(...known)
    if (by === 'weight') return values
    const ratios = values.map((value) => Number(((value ?? least) / least).toPrecision(4)))
    return ratios.every((ratio) => ratio === 1) ? undefined : ratios
  }
  return undefined
}

function targetOf(one: Deployment, weight: number | undefined): Target {
  const { target, priority, requestsPerMinute, tokensPerMinute, maxConcurrent, timeouts } = one
  return {
    target,
    ...(weight !== undefined && weight > 0 && { weight }),
    ...(priority !== undefined && Number.isSafeInteger(priority) && priority >= 0 && { priority }),
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(tokensPerMinute !== undefined && { tokensPerMinute }),
    ...(maxConcurrent !== undefined && { maxConcurrent }),
    ...(Object.keys(timeouts).length > 0 && { timeouts }),
  }
}

function defaultsOf(
  fields: SourceFields,
  entries: readonly Deployment[],
): { readonly defaults?: Readonly<Record<string, unknown>> } {
  const [first, ...others] = entries
  for (const { defaults, path } of others)
    for (const [name, value] of Object.entries(defaults))
      if (JSON.stringify(first?.defaults[name]) !== JSON.stringify(value))
        fields.left(
          [...path, 'litellm_params', name],
          'defaults belong to the route, and its first entry has others',
        )
  const { defaults = {} } = first ?? {}
  return Object.keys(defaults).length > 0 ? { defaults } : {}
}

function retriesOf(entries: readonly Deployment[]) {
  const retries = entries.find((one) => one.retries !== undefined)?.retries
  return retries === undefined ? {} : { retries: { attempts: attemptsOf(retries) } }
}

function addFallbacks(
  fields: SourceFields,
  models: Map<string, string | Route>,
  { fallbacks, longer, defaultFallbacks, aliases }: Sections,
): void {
  const names = new Set([...models.keys(), ...aliases.map(({ alias }) => alias)])
  const withDefaults = defaultFallbacks.flatMap(({ to, path }) =>
    [...models.keys()]
      .filter((name) => !name.includes('*') && !fallbacks.some(({ from }) => from === name))
      .map((name) => ({ from: name, to: to.filter((other) => other !== name), path }))
      .filter((one) => one.to.length > 0),
  )
  for (const one of [...withDefaults, ...fallbacks]) extend(one, 'fallback')
  for (const one of longer) extend(one, 'longer')

  function extend({ from, to, path }: Fallbacks, option: 'fallback' | 'longer'): void {
    const route = models.get(from)
    if (route === undefined) return fields.left(path, `there is no model ${from}`)
    const known = to.filter(
      (name) => names.has(name) || (name.includes('/') && !name.includes('*')),
    )
    const unknown = to.filter((name) => !known.includes(name))
    if (known.length === 0)
      return fields.left(path, `there is no model ${unknown.join(' and no ')}`)
    const whole: Route = typeof route === 'string' ? { targets: [route] } : route
    models.set(from, { ...whole, [option]: known })
    if (unknown.length > 0)
      fields.changed(path, `${option}, without ${unknown.join(', ')}, which there is not`)
    else fields.changed(path, `${option} of the route`)
  }
}
