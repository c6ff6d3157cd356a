import { GatewayError } from '@sluice/contract'
import type { Caller } from '@sluice/gateway/ports/api-key.ts'
import type { Routing } from '@sluice/gateway/route/routing.ts'
import { unlistedNote } from '@sluice/gateway/route/unlisted.ts'
import { unpricedNotes } from '@sluice/gateway/route/unpriced.ts'
import type { Gateway } from '../gateway.ts'

interface Fault {
  readonly model: string
  readonly problem: string
}

/** Stands for what a caller writes in place of a wildcard. */
const anyModel = 'any-model'

/** Names that cannot be routed, and those with targets whose price is unknown, unless such calls are let in. */
export async function faultsOf(
  { now, settings }: Gateway,
  routing: Routing,
  { names, key }: { readonly names: readonly string[]; readonly key: Caller },
) {
  const isLetIn = settings.config().limits.unknownPrices === 'allow'
  const problems: Fault[] = []
  const unpriced: Fault[] = []
  for (const model of names)
    try {
      const route = await routing.route(model.replace('*', anyModel), key, 'chat')
      // What a wildcard leads to has the price of each model.
      const notes = isLetIn || model.includes('*') ? [] : unpricedNotes(route, now())
      if (notes.length > 0) unpriced.push({ model, problem: notes.join('; ') })
    } catch (thrown) {
      problems.push({ model, problem: GatewayError.from(thrown).message })
    }
  return { problems, unpriced }
}

/** Targets of these routes whose provider does not list the model. */
export async function unlistedOf(
  routing: Routing,
  names: readonly string[],
  key: Caller,
): Promise<readonly Fault[]> {
  const found = await Promise.all(
    names.map(async (model) => {
      // A route that leads nowhere is told as such.
      const route = await Promise.resolve()
        .then(() => routing.route(model, key, 'chat'))
        .catch(() => undefined)
      const notes = await Promise.all(
        (route?.levels.flat() ?? []).map(async (target) =>
          target.kind === 'engine'
            ? undefined
            : unlistedNote(target, await routing.listedBy(target.upstream)),
        ),
      )
      return notes.flatMap((problem) => (problem === undefined ? [] : [{ model, problem }]))
    }),
  )
  return found.flat()
}
