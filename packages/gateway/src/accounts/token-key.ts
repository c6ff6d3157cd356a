import { hash } from 'node:crypto'
import { GatewayError, operationNames } from '@sluice/contract'
import type { JWTPayload } from 'jose'
import type { JwtConfig } from '../settings/schema-jwt.ts'
import type { Budget, Terms } from '../ports/account.ts'
import type { ApiKey } from '../ports/api-key.ts'
import { covers } from './allowed.ts'
import { parseBudget } from './budget-text.ts'

/** Enough of the hash to be unique. */
const identityLength = 24
const tagsMax = 16
const tagPattern = /^[\w.:=/@+-]{1,64}$/

/**
 * The key that represents a caller with a token; no secret has its hash. Claims limit it as far as the configuration names
 * them, and never extend the configured limits.
 *
 * @throws GatewayError `unauthenticated` if a required claim is missing or a claim is invalid.
 */
export function tokenKey(payload: JWTPayload, settings: JwtConfig): ApiKey {
  const { issuer, userClaim = 'sub' } = settings
  const user = payload[userClaim]
  if (typeof user !== 'string' || user === '') throw invalid('The token does not say whose it is')
  const ownerId = ownerOf(payload, user, settings)
  return {
    id: `jwt_${hash('sha256', `${issuer}\0${user}`).slice(0, identityLength)}`,
    name: user.slice(0, 200),
    hash: '',
    role: 'caller',
    prefix: '',
    createdAt: 0,
    // Calls in progress end with the token.
    expiresAt: (payload.exp ?? 0) * 1000,
    ...(ownerId !== undefined && { ownerId }),
    ...termsIn(payload, settings),
  }
}

function ownerOf(
  payload: JWTPayload,
  user: string,
  { users, unknownUsers = 'refuse', teamClaim, teams }: JwtConfig,
): string | undefined {
  const known = users && ownValue(users, user)
  if (known !== undefined) return known
  if (users && unknownUsers === 'refuse') throw invalid('The token is of no user that is known')
  if (teamClaim === undefined) return undefined
  const claim = payload[teamClaim]
  const listed = listIn(claim)
  // Group names may contain spaces.
  const names = typeof claim === 'string' ? [claim, ...listed] : listed
  const ids = teams ? names.map((name) => ownValue(teams, name)) : listed
  const id = ids.find((one) => one !== undefined)
  if (id === undefined) throw invalid('The token names no team that is known')
  return id
}

/** Names come from tokens, so inherited properties such as `constructor` must not match. */
function ownValue(entries: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined
}

function termsIn(payload: JWTPayload, settings: JwtConfig): Terms {
  const { modelsClaim, limitClaims: claims = {} } = settings
  const valueOf = (claim: string | undefined) => (claim === undefined ? undefined : payload[claim])
  const models = allowedBoth(
    settings.models,
    modelsClaim === undefined ? undefined : listIn(payload[modelsClaim]),
  )
  const claimedOperations = valueOf(claims.operations)
  const operations = allowedBoth(
    settings.operations,
    claimedOperations === undefined ? undefined : listIn(claimedOperations),
  )
  const tags = tagsIn(valueOf(claims.tags), claims.tags)
  const counts = ['requestsPerMinute', 'tokensPerMinute', 'concurrentRequests'] as const
  const limits = counts.flatMap((name) => {
    const claimed = countIn(valueOf(claims[name]), claims[name])
    const limit = Math.min(settings[name] ?? Infinity, claimed ?? Infinity)
    return limit === Infinity ? [] : [[name, limit] as const]
  })
  const budgets = budgetsOf([
    ...(settings.budgets ?? []),
    ...budgetTexts(valueOf(claims.budgets), claims.budgets),
  ])
  const allTags = [...new Set([...(settings.tags ?? []), ...tags])]
  return {
    ...(models && { models }),
    ...(operations && {
      operations: operationNames.filter((name) => operations.includes(name)),
    }),
    ...Object.fromEntries(limits),
    ...(budgets.length > 0 && { budgets }),
    ...(allTags.length > 0 && { tags: allTags }),
  }
}

/** The intersection of both lists; of two patterns the narrower one. */
function allowedBoth(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  if (!one || !other) return one ?? other
  const both = one.flatMap((first) =>
    other.flatMap((second) =>
      covers(first, second) ? [second] : covers(second, first) ? [first] : [],
    ),
  )
  return [...new Set(both)]
}

/** Some issuers write all claims as strings. */
function countIn(value: unknown, claim = ''): number | undefined {
  if (value === undefined || value === null) return undefined
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 1) return count
  throw unreadable(claim, 'a whole number from 1 up')
}

function tagsIn(value: unknown, claim = ''): readonly string[] {
  if (value === undefined || value === null) return []
  const tags: readonly unknown[] = typeof value === 'string' ? listIn(value) : [value].flat()
  const isTag = (tag: unknown): tag is string => typeof tag === 'string' && tagPattern.test(tag)
  if (tags.length <= tagsMax && tags.every(isTag)) return tags
  throw unreadable(claim, `a list of at most ${tagsMax} tags`)
}

function budgetTexts(value: unknown, claim = ''): readonly string[] {
  if (value === undefined || value === null) return []
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value]
  return texts.map((text) => {
    if (typeof text === 'string' && texts.length <= budgetsMax && parseBudget(text)) return text
    throw unreadable(claim, 'a list of budgets such as 10/month')
  })
}

/** Per claim. */
const budgetsMax = 20

/**
 * Merges budgets that count the same, with the smaller limit. The id is derived from what is counted, so that recorded
 * spending is kept.
 */
function budgetsOf(texts: readonly string[]): readonly Budget[] {
  const found = new Map<string, Budget>()
  for (const text of texts) {
    const budget = parseBudget(text)
    if (!budget) throw unreadable('budgets', 'a list of budgets such as 10/month')
    const { window, timeZone, model = '', tag = '' } = budget
    const id = hash(
      'sha256',
      JSON.stringify([window, model, tag, ...(timeZone === undefined ? [] : [timeZone])]),
    ).slice(0, identityLength)
    const known = found.get(id)
    if (!known || budget.limitMicroUsd < known.limitMicroUsd) found.set(id, { id, ...budget })
  }
  return [...found.values()]
}

function listIn(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((part) => part !== '')
  return Array.isArray(claim) ? claim.filter((part) => typeof part === 'string') : []
}

function unreadable(claim: string, what: string): GatewayError {
  return invalid(`The token's claim ${claim} is not ${what}`)
}

function invalid(message: string): GatewayError {
  return new GatewayError('unauthenticated', message)
}
