import { GatewayError, type OperationName } from '@sluice/contract'
import { isListed } from '../settings/address-block.ts'
import type { Holder } from '../ports/account.ts'
import type { Caller } from '../ports/api-key.ts'

/**
 * Checks that all levels of a caller allow this client address; `undefined` is an unknown address.
 *
 * @throws GatewayError `forbidden`, which names the level.
 */
export function assertAddress({ holders }: Caller, address: string | undefined): void {
  for (const holder of holders)
    if (holder.addressList && !isListed(holder.addressList, address))
      throw forbidden(holder, 'be used from this address')
}

/**
 * Checks that all levels of a caller allow an operation.
 *
 * @throws GatewayError `forbidden`, which names the level.
 */
export function assertOperation({ holders }: Caller, operation: OperationName): void {
  for (const holder of holders)
    if (holder.terms.operations?.includes(operation) === false)
      throw forbidden(holder, `use the operation ${operation}`)
}

/**
 * Checks that all levels of a caller allow a model name: exact names, `provider/*` or `*`. The lists contain names as callers
 * write them. The targets and fallbacks of an allowed route are included, so a key that may use `fast` need not be allowed
 * `openai/gpt-6-sol`. The reverse does not hold.
 *
 * @throws GatewayError `forbidden`, which names the level.
 */
export function assertModel({ holders }: Caller, model: string): void {
  for (const holder of holders)
    if (!allowsModel(holder, model))
      throw forbidden(holder, `use the model ${model.slice(0, shownMax)}`, 'model')
}

/** Whether all levels of a caller allow this model name and at least one of its operations. */
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

/** Whether a pattern matches a model: its exact name, a prefix followed by `*`, or `*`. */
export function covers(pattern: string, model: string): boolean {
  return pattern === model || (pattern.endsWith('*') && model.startsWith(pattern.slice(0, -1)))
}

/** Maximum length of caller-supplied names in messages. */
const shownMax = 200

/** The message names a level of the caller itself, so it reveals nothing about others. */
function forbidden({ kind, name }: Holder, what: string, param?: string): GatewayError {
  const who = kind === 'key' ? 'This key' : `The ${kind} ${name.slice(0, shownMax)}`
  return new GatewayError(
    'forbidden',
    `${who} may not ${what}`,
    param === undefined ? {} : { param },
  )
}
