import { Type } from '@sluice/contract'
import { count, described, listOf, mapOf, object, optional, text } from './schema-parts.ts'

/** Signatures whose key the issuer alone has; HMAC is not among them, as its key would be the gateway's too. */
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

/** Issuers of tokens that callers may come with instead of a key (RFC 7519, RFC 7517). */
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
      jwksFile: optional(text('A file with the public keys, instead of jwksUrl.')),
      algorithms: optional(
        Type.Array(Type.Enum([...algorithms]), {
          minItems: 1,
          ...described('Accepted signatures. Default RS256, ES256 and EdDSA.'),
        }),
      ),
      userClaim: optional(text('The claim that names the caller. Default sub.')),
      teamClaim: optional(
        text(
          'The claim that says to which team or user the caller belongs, by its id or by a name in teams; of a list the first that is known. A token without it is refused. Default: callers belong to nobody.',
        ),
      ),
      teams: optional(
        mapOf(text('The id of a team or a user.'), 'Ids by what the claim says, such as a group.'),
      ),
      modelsClaim: optional(
        text('The claim that lists the models that may be used, as a list or separated by spaces.'),
      ),
      models: optional(listOf(text('A name or a pattern.'), 'Models that each caller may use.')),
      requestsPerMinute: optional(count('Of each caller.')),
      tokensPerMinute: optional(count('Of each caller.')),
      concurrentRequests: optional(count('Of each caller.')),
    },
    'An issuer of tokens.',
  ),
  'Issuers whose tokens (JWT) callers may send instead of an API key.',
)
