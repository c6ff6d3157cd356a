import { Type } from '@sluice/contract'
import type { Static } from 'typebox'
import { described, listOf, mapOf, object, optional, text } from './schema-parts.ts'

const roles = ['owner', 'operator', 'viewer'] as const
const groupOf = 'by the name or the id of a group'

const oidc = object(
  {
    issuer: Type.String({
      pattern: '^https?://[^\\s]+$',
      ...described(
        'The issuer’s identifier, such as https://login.example.com/realms/acme. Its settings are read from /.well-known/openid-configuration below it, when somebody first signs in.',
      ),
    }),
    clientId: text('What the gateway is called there.'),
    clientSecret: optional(
      text(
        'The secret of the client, preferably a reference such as ${OIDC_CLIENT_SECRET}. Default: none, for a public client.',
      ),
    ),
    clientAuthentication: optional(
      Type.Enum(['basic', 'post'], {
        ...described(
          'How the secret is sent: in a header (client_secret_basic) or in the body (client_secret_post). Default basic, unless the issuer lists post alone.',
        ),
      }),
    ),
    name: optional(
      text('What the button to sign in says after “Sign in with”. Default single sign-on.'),
    ),
    scopes: optional(
      Type.Array(Type.String({ pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$' }), {
        minItems: 1,
        ...described('What is asked for. Default openid, profile and email.'),
      }),
    ),
    redirectUrl: optional(
      Type.String({
        pattern: '^https?://[^\\s?#]+/admin/v1/session/oidc/callback$',
        ...described(
          'Where the issuer sends browsers back to, as it is registered there. Default: /admin/v1/session/oidc/callback below server.publicUrl, or below the address that the browser came to.',
        ),
      }),
    ),
    groupsClaim: optional(
      text(
        'The claim that lists the groups of somebody, as a list or as one text; with dots for what is inside of another, such as realm_access.roles. Default groups.',
      ),
    ),
    nameClaim: optional(
      text(
        'The claim by which a user that was made before is found at its first sign-in: its name in Sluice. Default email.',
      ),
    ),
    domainClaim: optional(
      text(
        'The claim that says the domain which allowedDomains asks for, such as hd of Google. Default: what follows the @ of email.',
      ),
    ),
    trustEmail: optional(
      Type.Boolean(
        described(
          'Whether email is believed where the issuer does not say that it is verified (email_verified). Default false.',
        ),
      ),
    ),
    roles: optional(
      mapOf(Type.Enum([...roles]), `Administrators’ roles ${groupOf}. The highest counts.`),
    ),
    userRoles: optional(
      mapOf(Type.Enum([...roles]), 'Administrators’ roles by e-mail address or subject (sub).'),
    ),
    teamAdministrators: optional(
      mapOf(
        text('The id of a team, or its name.'),
        `Teams that are administered, ${groupOf}. The first one listed here counts.`,
      ),
    ),
    teams: optional(
      mapOf(
        text('The id of a team, or its name.'),
        `Teams that users are in, ${groupOf}. The first one listed here counts, and at each sign-in the user is moved there.`,
      ),
    ),
    defaultTeam: optional(
      text(
        'The team, by its id or its name, that a new user comes into whose groups name none. Default: whoever has no group that is listed may not sign in.',
      ),
    ),
    allowedDomains: optional(
      listOf(text('Such as example.com.'), 'Who may sign in at all. Default: every domain.'),
    ),
    allowedUsers: optional(
      listOf(
        text('An e-mail address or a subject.'),
        'Who may sign in at all. Default: everybody.',
      ),
    ),
    createUsers: optional(
      Type.Boolean(
        described(
          'Whether a user is made for somebody who signs in for the first time and is no administrator. false: only those that an administrator has made before may sign in. Default true.',
        ),
      ),
    ),
    endSession: optional(
      Type.Boolean(
        described(
          'Whether signing out leads to the issuer’s page for signing out, where it has one. Default true.',
        ),
      ),
    ),
  },
  'Signing in by OpenID Connect: docs/sign-in.md.',
)

export const consoleSettings = object(
  {
    sessionMs: optional(
      Type.Integer({
        minimum: 60_000,
        maximum: 604_800_000,
        ...described(
          'How long somebody stays signed in, in milliseconds; roles are looked at again at the next sign-in. Default 43200000 (12 hours).',
        ),
      }),
    ),
    oidc: optional(oidc),
  },
  'The console.',
)

export type ConsoleSettings = Static<typeof consoleSettings>
export type OidcSettings = Static<typeof oidc>
