import { hash } from 'node:crypto'
import type { Account, AccountKind, Budget } from '@sluice/gateway/ports/account.ts'
import type { ApiKey } from '@sluice/gateway/ports/api-key.ts'

/** Accounts and keys of another gateway, ready for the API. */
export interface ImportedAccounts {
  readonly accounts: readonly Account[]
  readonly keys: readonly Omit<ApiKey, 'role'>[]
}

const prefixes: Readonly<Record<AccountKind | 'key' | 'budget', string>> = {
  organization: 'org_',
  team: 'team_',
  user: 'user_',
  key: 'key_',
  budget: 'budget_',
}

/** The id that something of another gateway has here: the same with every import. */
export function importedId(kind: keyof typeof prefixes, source: string, theirs: string): string {
  return prefixes[kind] + hash('sha256', `${source}\0${kind}\0${theirs}`).slice(0, 16)
}

/** Millionths of a US dollar. */
export function microUsdOf(usd: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.round(usd * 1_000_000)))
}

/** A budget with what was spent of it elsewhere until now. */
export function movedBudget(
  budget: Omit<Budget, 'carried'>,
  spentUsd: number,
  now: number,
): Budget {
  const microUsd = microUsdOf(spentUsd)
  return microUsd === 0 ? budget : { ...budget, carried: { microUsd, at: now } }
}

const metadataMax = 16
const metadataLengthMax = 512

/** What of free data fits here: plain values, as text. */
export function metadataOf(
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const plain = Object.entries(values).filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  )
  return Object.fromEntries(
    plain
      .slice(0, metadataMax)
      .map(([name, value]) => [name, String(value).slice(0, metadataLengthMax)]),
  )
}

/** As names have to be: not empty, not too long. */
export function nameOf(...candidates: readonly (string | undefined)[]): string {
  const found = candidates.find((name) => name !== undefined && name.trim() !== '') ?? 'unnamed'
  return found.trim().slice(0, 200)
}

/** Words that tags may be; others are dropped. */
export function tagsOf(tags: readonly string[]): readonly string[] {
  return tags.filter((tag) => /^[\w.:=/@+-]{1,64}$/.test(tag)).slice(0, 16)
}
