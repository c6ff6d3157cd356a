import type { UpstreamTarget } from '../route/routing.ts'
import { nameOfSecret } from './secret-name.ts'

/** What a call needs of an upstream because something that it names is kept there. */
export interface Bound {
  /** The id of the provider that keeps it. */
  readonly provider: string
  /** The account that made it, as `accountOf` names it; absent if it is unknown which did. */
  readonly account?: string
  /** Whether clients know what to do when another provider answers that it does not know what they name. */
  readonly mayMove?: boolean
}

/**
 * The name of the account that a key belongs to: the provider and the name of the key. Of several keys it is unknown whether they
 * belong to one account, so each is taken to have its own.
 */
export function accountOf(providerId: string, secret: string): string {
  return `${providerId} ${nameOfSecret(secret)}`
}

/** The account as `accountOf` names it, with its provider. */
export function boundTo(account: string): Bound {
  const [provider = ''] = account.split(' ')
  return { provider, account }
}

/**
 * The keys that a call may use at a target: only the one that made what the call names, which no other account knows. All keys if
 * nothing is named or the key is not configured any more, because its successor may belong to the same account.
 */
export function secretsFor(
  bound: Bound | undefined,
  { providerId, upstream: { secrets } }: UpstreamTarget,
): readonly string[] {
  const account = bound?.account
  if (account === undefined || secrets.length === 1) return secrets
  const own = secrets.filter((secret) => accountOf(providerId, secret) === account)
  return own.length > 0 ? own : secrets
}
