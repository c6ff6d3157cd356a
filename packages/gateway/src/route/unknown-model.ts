import { GatewayError } from '@sluice/contract'
import { aliasesOf } from '../settings/alias-table.ts'
import { didYouMean } from '../settings/similar-name.ts'
import type { RoutingInput } from './routing-input.ts'

const shownMax = 200
/** Maximum number of names compared with an unknown one. */
const comparedMax = 2_000

/** The error for an unknown model. `hint` is a sentence that tells how to fix it. */
export function unknownModel(name: string, hint = ''): GatewayError {
  const shown = JSON.stringify(name.slice(0, shownMax))
  const further = hint === '' ? '' : `. ${hint}`
  const error = new GatewayError('model_not_found', `The model ${shown} does not exist${further}`, {
    param: 'model',
  })
  unknown.add(error)
  return error
}

const unknown = new WeakSet<object>()

/** Whether a failure says that nothing knows the model, and not that it has to be named in another way. */
export function isUnknownModel(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && unknown.has(thrown)
}

/** Explains an unknown name that would be valid with other settings; empty otherwise. */
export function offHint({ config, known, engine }: RoutingInput, name: string): string {
  const slash = name.indexOf('/')
  if (slash > 0) {
    const provider = name.slice(0, slash)
    const off = known.whyOff(provider)
    if (off !== undefined) return off
    const suggestion = didYouMean(provider, [...known.ids, engine.id])
    return suggestion === ''
      ? ''
      : `No provider has the name ${provider.slice(0, shownMax)}. ${suggestion}`
  }
  const { builtin } = config
  if (builtin.enabled !== 'auto' || aliasesOf(builtin, name).length === 0) return ''
  return (
    `The built-in engine does not serve it, because a provider is configured: ` +
    `use provider/${name}, or add ${name} to models in sluice.yaml`
  )
}

/** Suggests the most similar name that the caller may use. */
export async function suggestion(
  { upstreams, lists }: RoutingInput,
  {
    name,
    names,
    mayUse,
  }: { name: string; names: readonly string[]; mayUse: (name: string) => boolean },
): Promise<string> {
  const listed = await Promise.all(
    [...upstreams.values()].map(async (upstream) =>
      (await lists.of(upstream)).flatMap(({ id }) => [id, `${upstream.id}/${id}`]),
    ),
  )
  const all = [...names, ...listed.flat()].slice(0, comparedMax).filter(mayUse)
  return didYouMean(name, all)
}
