import { hash } from 'node:crypto'
import { isObject, someText } from '@sluice/contract'
import type { OidcSettings } from '@sluice/gateway/settings/schema-console.ts'
import { SignInRefused } from './sign-in-refused.ts'

/** The verified claims about a person. */
export type Claims = Readonly<Record<string, unknown>>

/** A person's identity at the issuer. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  /** Hash of issuer and subject. */
  readonly hash: string
  /** The session id at the issuer (OpenID Connect Back-Channel Logout 1.0, 2.1). */
  readonly session?: string
  /** The display name. */
  readonly name: string
  /** Set only if the address is verified or trusted. */
  readonly email?: string
  /** The name by which an existing user is found; absent if the claim is missing or not trusted. */
  readonly userName?: string
}

/** The rights of a signed-in person. `team` is an id or a name. */
export type Grant =
  | { readonly role: 'owner' | 'operator' | 'viewer' }
  | { readonly role: 'team'; readonly team: string }
  /** `isMapped`: a group places the user in this team; otherwise only new users are placed there. */
  | { readonly role: 'user'; readonly team: string; readonly isMapped: boolean }

const nameLengthMax = 200
const ranks = ['owner', 'operator', 'viewer'] as const

/** The claims that decide the grant, besides the subject. If the token lacks one, the userinfo endpoint is asked. */
export function decidingClaims(settings: OidcSettings): readonly string[] {
  const { groupsClaim = 'groups', nameClaim = 'email', domainClaim } = settings
  return ['email', groupsClaim, nameClaim, ...(domainClaim === undefined ? [] : [domainClaim])]
}

export function identityOf(claims: Claims, settings: OidcSettings): Identity {
  const { issuer, nameClaim = 'email' } = settings
  const subject = textIn(claims, 'sub')
  if (subject === undefined) throw new SignInRefused('token', 'The token has no subject')
  const session = textIn(claims, 'sid')
  const email = emailOf(claims, settings)
  const userName = nameClaim === 'email' ? email : textIn(claims, nameClaim)
  const shown = [textIn(claims, 'name'), textIn(claims, 'preferred_username'), email, subject]
  return {
    issuer,
    subject,
    hash: identityHash(issuer, subject),
    ...(session !== undefined && { session }),
    name: (shown.find((one) => one !== undefined) ?? subject).slice(0, nameLengthMax),
    ...(email !== undefined && { email }),
    ...(userName !== undefined && { userName: userName.slice(0, nameLengthMax) }),
  }
}

/** The hash that identifies a subject of an issuer. */
export function identityHash(issuer: string, subject: string): string {
  return hash('sha256', `${issuer}\0${subject}`)
}

/**
 * The rights that the configuration grants, in this order: an administrator role, administration of a team, or a user in a
 * team.
 *
 * @throws SignInRefused `not_allowed`, `no_group`
 */
export function grantOf(claims: Claims, identity: Identity, settings: OidcSettings): Grant {
  assertAllowed(claims, identity, settings)
  const { roles = {}, userRoles = {}, teamAdministrators = {}, teams = {} } = settings
  const groups = new Set(groupsOf(claims, settings))
  const granted = new Set([
    ...Object.entries(roles).flatMap(([group, role]) => (groups.has(group) ? [role] : [])),
    ...Object.entries(userRoles).flatMap(([who, role]) => (isWho(identity, who) ? [role] : [])),
  ])
  const role = ranks.find((rank) => granted.has(rank))
  if (role) return { role }
  const administered = firstOf(teamAdministrators, groups)
  if (administered !== undefined) return { role: 'team', team: administered }
  const team = firstOf(teams, groups)
  if (team !== undefined) return { role: 'user', team, isMapped: true }
  if (settings.defaultTeam !== undefined)
    return { role: 'user', team: settings.defaultTeam, isMapped: false }
  throw new SignInRefused('no_group', missing(claims, groups, settings))
}

/** Explains the missing grant to the operator. */
function missing(
  claims: Claims,
  groups: ReadonlySet<string>,
  { groupsClaim = 'groups' }: OidcSettings,
): string {
  if (groups.size > 0) return `None of ${groups.size} groups is mapped to a role or a team`
  const { _claim_names: elsewhere } = claims
  // Microsoft omits groups if there are more than 200.
  if (isObject(elsewhere) && groupsClaim in elsewhere)
    return `The issuer has left out the claim ${groupsClaim}, as there are too many groups`
  return `There are no groups in the claim ${groupsClaim}`
}

function firstOf(
  teams: Readonly<Record<string, string>>,
  groups: ReadonlySet<string>,
): string | undefined {
  return Object.entries(teams).find(([group]) => groups.has(group))?.[1]
}

function assertAllowed(claims: Claims, identity: Identity, settings: OidcSettings): void {
  const { allowedDomains, allowedUsers, domainClaim } = settings
  if (allowedDomains) {
    const domain =
      domainClaim === undefined
        ? identity.email?.slice(identity.email.lastIndexOf('@') + 1)
        : textIn(claims, domainClaim)
    if (!allowedDomains.some((one) => one.toLowerCase() === domain?.toLowerCase()))
      throw new SignInRefused(
        'not_allowed',
        domain === undefined ? 'No domain is known, or believed' : 'The domain is not allowed',
      )
  }
  if (allowedUsers && !allowedUsers.some((who) => isWho(identity, who)))
    throw new SignInRefused('not_allowed', 'It is none of the users that are allowed')
}

function isWho({ subject, email }: Identity, who: string): boolean {
  return who === subject || (email !== undefined && who.toLowerCase() === email.toLowerCase())
}

/** An unverified address could belong to anybody. */
function emailOf(claims: Claims, { trustEmail = false }: OidcSettings): string | undefined {
  const email = textIn(claims, 'email')
  if (email === undefined || !/^[^@\s]+@[^@\s]+$/.test(email)) return undefined
  const isVerified = claims['email_verified'] === true || claims['email_verified'] === 'true'
  return isVerified || trustEmail ? email : undefined
}

function groupsOf(claims: Claims, { groupsClaim = 'groups' }: OidcSettings): readonly string[] {
  const found = claimAt(claims, groupsClaim)
  if (typeof found === 'string') return [found]
  return Array.isArray(found) ? found.filter((one) => typeof one === 'string') : []
}

/** A claim by its name, or by a dotted path. A full name takes precedence, because names may contain dots. */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name
    .split('.')
    .reduce<unknown>(
      (found, step) => (isObject(found) && Object.hasOwn(found, step) ? found[step] : undefined),
      claims,
    )
}

function textIn(claims: Claims, name: string): string | undefined {
  return someText(claimAt(claims, name))
}
