import { operationNames, Type } from '@sluice/contract'
import { count, described, listOf, mapOf, object, optional, text } from './schema-parts.ts'

/** Asymmetric signatures only: with HMAC the gateway would share the issuer's signing key. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const

/** The syntax that `parseBudget` accepts. */
const budgetPattern =
  '^(?!.*,(\\w+)=.*,\\1=)\\d{1,9}(?:\\.\\d{1,6})?/(?:day|week|month|lifetime|(?:[1-9]\\d{0,2}|[1-7]\\d{3}|8(?:[0-6]\\d|7[0-5])\\d|8760)h)(?:,(?:model|tag|over)=[^,]+)*$'
const tagPattern = '^[\\w.:=/@+-]{1,64}$'

/** Only the claims named here are used. Their limits apply in addition to all others. */
const limitClaims = object(
  {
    requestsPerMinute: optional(text('A claim with a whole number from 1 up.')),
    tokensPerMinute: optional(text('The same.')),
    concurrentRequests: optional(text('The same.')),
    budgets: optional(text('A claim with a list of budgets, or one: 10/month, 1/24h,tag=nightly.')),
    tags: optional(text('A claim with the tags of all calls, as a list or separated by spaces.')),
    operations: optional(
      text('A claim with the operations that may be used, as a list or separated by spaces.'),
    ),
  },
  'Claims that may bound a caller, by what they bound. The smaller of what a claim and what these settings say holds; a token without the claim is held to the settings alone. A claim that cannot be read refuses the token.',
)

/** Issuers of tokens that callers may use instead of a key (RFC 7519, RFC 7517). */
export const jwt = listOf(
  object(
    {
      issuer: text('What tokens say in iss.'),
      audience: text('What tokens have to say in aud.'),
      jwksUrl: optional(
        Type.String({
          pattern: '^https?://[^\\s]+$',
          ...described('Where the public keys of the issuer are. They are kept for ten minutes.'),
        }),
      ),
      jwksFile: optional(
        text('A file with the public keys, instead of jwksUrl. It is read again every minute.'),
      ),
      algorithms: optional(
        Type.Array(Type.Enum([...algorithms]), {
          minItems: 1,
          ...described('Accepted signatures. Default RS256, ES256 and EdDSA.'),
        }),
      ),
      userClaim: optional(text('The claim that names the caller. Default sub.')),
      users: optional(
        mapOf(
          text('The id of a user.'),
          'The users that callers are, by what userClaim says: what holds for the user, its team and its organization holds for them, and teamClaim is not asked.',
        ),
      ),
      unknownUsers: optional(
        Type.Enum(['refuse', 'allow'], {
          ...described(
            'Callers that users does not name, where it is set. refuse (default): 401. allow: they belong where teamClaim says, or to nobody.',
          ),
        }),
      ),
      teamClaim: optional(
        text(
          'The claim that says to which team or user the caller belongs, by its id or by a name in teams; of a list the first that is known. A token without it is refused. Default: callers belong to nobody.',
        ),
      ),
      teams: optional(
        mapOf(text('The id of a team or a user.'), 'Ids by what the claim says, such as a group.'),
      ),
      modelsClaim: optional(
        text(
          'The claim that lists the models that may be used, as a list or separated by spaces; of those in models, where that is set. A token without it may use none.',
        ),
      ),
      models: optional(listOf(text('A name or a pattern.'), 'Models that each caller may use.')),
      operations: optional(
        Type.Array(Type.Enum([...operationNames]), {
          ...described('Operations that each caller may use. Default: all.'),
        }),
      ),
      requestsPerMinute: optional(count('Of each caller.')),
      tokensPerMinute: optional(count('Of each caller.')),
      concurrentRequests: optional(count('Of each caller.')),
      budgets: optional(
        listOf(
          Type.String({ pattern: budgetPattern, ...described('US dollars and a window.') }),
          'Of each caller: 10/month, 1/24h,tag=nightly, 2.5/day,model=gpt-4o.',
        ),
      ),
      tags: optional(
        Type.Array(Type.String({ pattern: tagPattern }), {
          maxItems: 16,
          ...described('Every call of these callers has them.'),
        }),
      ),
      limitClaims: optional(limitClaims),
    },
    'An issuer of tokens.',
  ),
  'Issuers whose tokens (JWT) callers may send instead of an API key.',
)
