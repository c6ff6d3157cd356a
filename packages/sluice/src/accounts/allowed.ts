import { GatewayError, type OperationName } from '@sluice/contract'
import { isListed } from '../config/address-block.ts'
import type { Holder } from '../ports/account.ts'
import type { Caller } from '../ports/api-key.ts'

/**
 * Whether all levels of a caller let it in from this address; `undefined` is an address that nobody knows any more.
 *
 * @throws GatewayError `forbidden`, which names the level.
 */
export function assertAddress({ holders }: Caller, address: string | undefined): void {
  for (const holder of holders)
    if (holder.addressList && !isListed(holder.addressList, address))
      throw forbidden(holder, 'be used from this address')
}

/**
 * Whether all levels of a caller may use an operation.
 *
 * @throws GatewayError `forbidden`, which names the level.
 */
export function assertOperation({ holders }: Caller, operation: OperationName): void {
  for (const holder of holders)
    if (holder.terms.operations?.includes(operation) === false)
      throw forbidden(holder, `use the operation ${operation}`)
}

/**
 * Whether all levels of a caller may use a model by this name: exact names, `provider/*`, `*`. Lists hold names as callers write
 * them, and what a name leads to comes with it: the targets and fallbacks of a route are its owner's choice, so a key that
 * may use `fast` need not be allowed `openai/gpt-4o`. The reverse does not hold.
 *
 * @throws GatewayError `forbidden`, which names the level.
 */
export function assertModel({ holders }: Caller, model: string): void {
  for (const holder of holders)
    if (!allowsModel(holder, model))
      throw forbidden(holder, `use the model ${model.slice(0, shownMax)}`, 'model')
}

/** Whether all levels of a caller may use a model by this name, and some of its operations. */
export function mayUse(
  { holders }: Caller,
  model: string,
  operations?: readonly OperationName[],
): boolean {
  return holders.every(
    (holder) =>
      allowsModel(holder, model) &&
      (operations === undefined ||
        holder.terms.operations === undefined ||
        operations.some((operation) => holder.terms.operations?.includes(operation))),
  )
}

function allowsModel({ terms: { models } }: Holder, model: string): boolean {
  return models === undefined || models.some((pattern) => covers(pattern, model))
}

/** Whether a pattern stands for a model: its name, the beginning of it before a `*`, or `*`. */
export function covers(pattern: string, model: string): boolean {
  return pattern === model || (pattern.endsWith('*') && model.startsWith(pattern.slice(0, -1)))
}

/** How much of a name is shown that a caller made up. */
const shownMax = 200

/** The levels are the caller's own, so that their names tell it nothing of others. */
function forbidden({ kind, name }: Holder, what: string, param?: string): GatewayError {
  const who = kind === 'key' ? 'This key' : `The ${kind} ${name.slice(0, shownMax)}`
  return new GatewayError(
    'forbidden',
    `${who} may not ${what}`,
    param === undefined ? {} : { param },
  )
}
