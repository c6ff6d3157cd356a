import { type OperationName, operationNames } from '@sluice/contract'
import type { EngineModel } from '@sluice/engine'
import { mayUse } from '../accounts/allowed.ts'
import type { Caller } from '../ports/api-key.ts'
import { aliasesOf } from '../settings/alias-table.ts'
import { retirementOf } from './retirement.ts'
import type { ListedModel, Upstream, UpstreamModel } from './routing.ts'
import type { RoutingInput } from './routing-input.ts'
import { filled, isWildcard, restOf } from './wildcards.ts'

export interface ListedModels {
  readonly input: RoutingInput
  /** Whether well-known names are aliases of built-in models. */
  readonly hasAliases: boolean
  readonly engineNames: ReadonlyMap<string, EngineModel>
}

/** The `created` time of all models: a fixed value, so that lists do not change. */
const created = 1_760_000_000

/**
 * All names this key may use: built-in models, their aliases, configured names and `provider/model` for the rest. `named` is
 * among them also if it belongs to a family of aliases, which are not listed otherwise.
 */
export async function listModels(
  listed: ListedModels,
  key: Caller,
  named?: string,
): Promise<readonly ListedModel[]> {
  const { input } = listed
  const lists = await Promise.all(
    [...input.upstreams.values()].map(async (upstream) => ({
      upstream,
      models: await input.lists.of(upstream),
    })),
  )
  const all = allModels(listed, lists)
  const further = named === undefined ? undefined : aliasNamed(listed, named, all)
  return (further ? [...all, further] : all).filter(({ id, operations }) =>
    mayUse(key, id, operations),
  )
}

function aliasNamed(
  { input, hasAliases, engineNames }: ListedModels,
  name: string,
  all: readonly ListedModel[],
): ListedModel | undefined {
  const models = hasAliases ? aliasesOf(input.config.builtin, name) : []
  const [model, ...others] = models.flatMap((id) => engineNames.get(id) ?? [])
  if (model === undefined || all.some(({ id }) => id === name)) return undefined
  const operations = [model, ...others].flatMap((one) => one.operations)
  return ofEngine(name, { ...model, operations })
}

interface UpstreamList {
  readonly upstream: Upstream
  readonly models: readonly UpstreamModel[]
}

/** Cache of the merged list per configuration; valid until an upstream's list changes. */
const merged = new WeakMap<
  ListedModels,
  { readonly lists: readonly UpstreamList[]; readonly all: readonly ListedModel[] }
>()

function allModels(listed: ListedModels, lists: readonly UpstreamList[]): readonly ListedModel[] {
  const known = merged.get(listed)
  if (known?.lists.every(({ models }, at) => models === lists[at]?.models) === true)
    return known.all
  const all = mergedModels(listed, lists)
  merged.set(listed, { lists, all })
  return all
}

function mergedModels(
  { input, hasAliases, engineNames }: ListedModels,
  lists: readonly UpstreamList[],
): readonly ListedModel[] {
  const found = new Map<string, ListedModel>()
  for (const model of engineNames.values()) found.set(model.id, ofEngine(model.id, model))
  const aliases = hasAliases ? input.config.builtin.aliases : {}
  for (const [alias, name] of Object.entries(aliases)) {
    const model = engineNames.get(name)
    if (model) found.set(alias, ofEngine(alias, model))
  }
  const counts = new Map<string, number>()
  for (const { models } of lists)
    for (const { id } of models) counts.set(id, (counts.get(id) ?? 0) + 1)
  for (const { upstream, models } of lists)
    for (const model of models) {
      const full = ofUpstream(`${upstream.id}/${model.id}`, upstream, model)
      found.set(full.id, full)
      if (counts.get(model.id) === 1 && !found.has(model.id))
        found.set(model.id, { ...full, id: model.id })
    }
  const offered = [...found.keys()]
  for (const name of Object.keys(input.config.models))
    for (const [id, target] of namedBy(input, name, offered))
      if (id === name || !Object.hasOwn(input.config.models, id))
        found.set(id, ofConfigured(id, target, found))
  return [...found.values()]
}

/** A configured name with its target, or of one with `*` those for the models that its target covers. */
function namedBy(
  input: RoutingInput,
  name: string,
  offered: readonly string[],
): readonly (readonly [name: string, target: string])[] {
  const target = targetOf(input, name)
  if (!isWildcard(name)) return [[name, target]]
  return offered.flatMap((model) => {
    const rest = restOf(target, model)
    return rest === undefined ? [] : [[filled(name, rest), model] as const]
  })
}

/** The name under which the first target of a configured model is listed. */
function targetOf({ config, engine }: RoutingInput, name: string): string {
  const configured = config.models[name]
  const target = typeof configured === 'string' ? configured : configured?.targets[0]?.target
  const own = `${engine.id}/`
  return target?.startsWith(own) ? target.slice(own.length) : (target ?? '')
}

function ofEngine(id: string, model: EngineModel): ListedModel {
  const { displayName, description, inputTokenLimit, outputTokenLimit, operations } = model
  return {
    id,
    ownedBy: 'sluice',
    displayName: id === model.id ? displayName : `${id} (${displayName})`,
    description,
    inputTokenLimit,
    outputTokenLimit,
    operations,
    created,
  }
}

function ofUpstream(id: string, upstream: Upstream, model: UpstreamModel): ListedModel {
  const { id: provider, provider: entry } = upstream
  const retiresOn = retirementOf(upstream, model.id)
  return {
    ...(retiresOn !== undefined && { retiresOn }),
    id,
    ownedBy: provider,
    displayName: model.displayName ?? model.id,
    description: model.description ?? `${model.id} at ${entry.name}`,
    inputTokenLimit: model.inputTokenLimit,
    outputTokenLimit: model.outputTokenLimit,
    operations: model.operations ?? entry.operations ?? offered(entry.protocol.codecs),
    created,
  }
}

function offered(codecs: object): readonly OperationName[] {
  return operationNames.filter((name) => Object.hasOwn(codecs, name))
}

function ofConfigured(
  id: string,
  target: string,
  found: ReadonlyMap<string, ListedModel>,
): ListedModel {
  const known = found.get(target)
  return {
    ...(known?.retiresOn !== undefined && { retiresOn: known.retiresOn }),
    ownedBy: 'sluice',
    displayName: id,
    description: `Routed by this gateway`,
    inputTokenLimit: known?.inputTokenLimit,
    outputTokenLimit: known?.outputTokenLimit,
    operations: known?.operations ?? ['chat'],
    created,
    id,
  }
}
