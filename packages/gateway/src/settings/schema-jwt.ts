import { operationNames, Type } from '@sluice/contract'
import type { Static } from 'typebox'
import { choice, count, listOf, mapOf, matching, object, options, text } from './schema-parts.ts'

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
  '^(?!.*,(\\w+)=.*,\\1=)\\d{1,9}(?:\\.\\d{1,6})?/(?:day|week|month|lifetime|(?:[1-9]\\d{0,2}|[1-7]\\d{3}|8(?:[0-6]\\d|7[0-5])\\d|8760)h)(?:,(?:model|tag|over|zone)=[^,]+)*$'
const tagPattern = '^[\\w.:=/@+-]{1,64}$'

/** Only the claims named here are used. Their limits apply in addition to all others. */
const limitClaims = options(
  {
    requestsPerMinute: text('A claim with an integer of at least 1.'),
    tokensPerMinute: text('The same.'),
    concurrentRequests: text('The same.'),
    budgets: text('A claim with a budget or a list of budgets: 10/month, 1/24h,tag=nightly.'),
    tags: text('A claim with tags for all requests, as a list or separated by spaces.'),
    operations: text('A claim with the allowed operations, as a list or separated by spaces.'),
  },
  'Claims that limit a caller. The lower of the claim and the setting applies; for a token without the claim, only the setting. A token with an unreadable claim is refused.',
)

/** Issuers of tokens that callers may use instead of a key (RFC 7519, RFC 7517). */
export const jwt = listOf(
  object(
    {
      issuer: text('The value of iss in tokens.'),
      audience: text('The required value of aud in tokens.'),
      ...options({
        jwksUrl: matching(
          '^https?://[^\\s]+$',
          'The URL of the issuer’s public keys. They are cached for ten minutes.',
        ),
        jwksFile: text(
          'A file with the public keys, instead of jwksUrl. It is reread every minute.',
        ),
        algorithms: listOf(
          Type.Enum([...algorithms]),
          'Accepted signature algorithms. Default RS256, ES256 and EdDSA.',
          { minItems: 1 },
        ),
        userClaim: text('The claim that identifies the caller. Default sub.'),
        users: mapOf(
          text('The id of a user.'),
          'Users by the value of userClaim. The settings of the user, its team and its organization apply to the caller, and teamClaim is not used.',
        ),
        unknownUsers: choice(
          ['refuse', 'allow'],
          'How to handle callers that are not in users, if it is set. refuse (default): 401. allow: teamClaim determines their team; without it they belong to none.',
        ),
        teamClaim: text(
          'The claim with the caller’s team or user, as an id or as a name in teams; the first known value of a list applies. A token without the claim is refused. Default: callers belong to no team or user.',
        ),
        teams: mapOf(
          text('The id of a team or a user.'),
          'Ids by the value of the claim, such as a group.',
        ),
        modelsClaim: text(
          'The claim with the allowed models, as a list or separated by spaces; if models is set, only models in both are allowed. A token without the claim may use none.',
        ),
        models: listOf(text('A name or a pattern.'), 'Models that each caller may use.'),
        operations: listOf(
          Type.Enum([...operationNames]),
          'Operations that each caller may use. Default: all.',
        ),
        requestsPerMinute: count('Limit for each caller.'),
        tokensPerMinute: count('Limit for each caller.'),
        concurrentRequests: count('Limit for each caller.'),
        budgets: listOf(
          matching(budgetPattern, 'US dollars and a period.'),
          'Budgets of each caller: 10/month, 1/24h,tag=nightly, 2.5/day,model=gpt-6-sol.',
        ),
        tags: listOf(
          Type.String({ pattern: tagPattern }),
          'Tags for all requests of these callers.',
          { maxItems: 16 },
        ),
        limitClaims,
      }).properties,
    },
    'An issuer of tokens.',
  ),
  'Issuers whose tokens (JWT) callers may send instead of an API key.',
)

export type JwtConfig = Static<typeof jwt>[number]
