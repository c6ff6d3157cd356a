import { Type } from '@sluice/contract'
import type { Static } from 'typebox'
import {
  choice,
  flag,
  integer,
  listOf,
  mapOf,
  matching,
  object,
  options,
  text,
} from './schema-parts.ts'

const roles = ['owner', 'operator', 'viewer'] as const
const groupOf = 'by group name or id'

const oidc = object(
  {
    issuer: matching(
      '^https?://[^\\s]+$',
      'The issuer’s identifier, such as https://login.example.com/realms/acme. Its configuration is read from /.well-known/openid-configuration below it at the first sign-in.',
    ),
    clientId: text('The client id of the gateway at the issuer.'),
    ...options({
      clientSecret: text(
        'The client secret, preferably a reference such as ${OIDC_CLIENT_SECRET}. Default: none, for a public client.',
      ),
      clientAuthentication: choice(
        ['basic', 'post'],
        'How the secret is sent: in a header (client_secret_basic) or in the body (client_secret_post). Default basic, unless the issuer lists only post.',
      ),
      name: text('The text after “Sign in with” on the sign-in button. Default single sign-on.'),
      scopes: listOf(
        Type.String({ pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$' }),
        'The requested scopes. Default openid, profile and email.',
        { minItems: 1 },
      ),
      redirectUrl: matching(
        '^https?://[^\\s?#]+/admin/v1/session/oidc/callback$',
        'The redirect URL registered at the issuer. Default: /admin/v1/session/oidc/callback below server.publicUrl, or below the URL that the browser used.',
      ),
      groupsClaim: text(
        'The claim with the user’s groups, as a list or a single string; dots separate nested names, such as realm_access.roles. Default groups.',
      ),
      nameClaim: text(
        'The claim that is matched with the name of an existing Sluice user at the first sign-in. Default email.',
      ),
      domainClaim: text(
        'The claim with the domain for allowedDomains, such as Google’s hd. Default: the part of email after @.',
      ),
      trustEmail: flag(
        'Whether email is trusted when the issuer does not report it as verified (email_verified). Default false.',
      ),
      roles: mapOf(Type.Enum([...roles]), `Administrator roles ${groupOf}. The highest applies.`),
      userRoles: mapOf(
        Type.Enum([...roles]),
        'Administrator roles by e-mail address or subject (sub).',
      ),
      teamAdministrators: mapOf(
        text('The id or name of a team.'),
        `Teams that members administer, ${groupOf}. The first match in this order applies.`,
      ),
      teams: mapOf(
        text('The id or name of a team.'),
        `Teams of users, ${groupOf}. The first match in this order applies, and each sign-in moves the user there.`,
      ),
      defaultTeam: text(
        'The id or name of the team for new users without a listed group. Default: users without a listed group may not sign in.',
      ),
      allowedDomains: listOf(
        text('A domain, such as example.com.'),
        'The domains whose users may sign in. Default: all.',
      ),
      allowedUsers: listOf(
        text('An e-mail address or a subject.'),
        'The users who may sign in. Default: all.',
      ),
      createUsers: flag(
        'Whether a user is created at the first sign-in of a person who is not an administrator. false: only users created by an administrator may sign in. Default true.',
      ),
      endSession: flag(
        'Whether signing out redirects to the issuer’s sign-out page, if it has one. Default true.',
      ),
    }).properties,
  },
  'Sign-in with OpenID Connect: docs/sign-in.md.',
)

export const consoleSettings = options(
  {
    sessionMs: integer(
      { minimum: 60_000, maximum: 604_800_000 },
      'Lifetime of a session in milliseconds; roles are read again at the next sign-in. Default 43200000 (12 hours).',
    ),
    oidc,
  },
  'The web console.',
)

export type ConsoleSettings = Static<typeof consoleSettings>
export type OidcSettings = Static<typeof oidc>

/** The configuration of the console. */
export interface ConsoleConfig {
  /** Session lifetime, in milliseconds. */
  readonly sessionMs: number
  /** Absent if users sign in with keys only. */
  readonly oidc?: OidcSettings
}
