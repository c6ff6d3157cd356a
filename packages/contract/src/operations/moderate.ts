import { type Static, type TSchema, Type } from 'typebox'
import { invalidRequest } from '../core/errors.ts'
import { operation } from './operation.ts'
import { oneOf, optional } from './schema.ts'

export const moderationCategories = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/instructions',
  'self-harm/intent',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
] as const
export type ModerationCategory = (typeof moderationCategories)[number]

const ModerationPart = Type.Object({
  type: oneOf(['text', 'image_url']),
  text: Type.Optional(Type.String()),
  image_url: Type.Optional(Type.Object({ url: Type.String() })),
})

const ModerateRequest = Type.Object({
  input: Type.Union([
    Type.String(),
    Type.Array(Type.String(), { minItems: 1, maxItems: 2048 }),
    Type.Array(ModerationPart, { minItems: 1, maxItems: 2048 }),
  ]),
  /** Default `omni-moderation-latest`. */
  model: optional(Type.String({ minLength: 1 })),
})

/** An object with every category as a key. */
function perCategory<S extends TSchema>(schema: S) {
  return Type.Unsafe<Record<ModerationCategory, Static<S>>>(
    Type.Object(Object.fromEntries(moderationCategories.map((category) => [category, schema]))),
  )
}

export const ModerateReply = Type.Object({
  id: Type.String(),
  model: Type.String(),
  results: Type.Array(
    Type.Object({
      flagged: Type.Boolean(),
      categories: perCategory(Type.Boolean()),
      category_scores: perCategory(Type.Number()),
      category_applied_input_types: Type.Optional(
        perCategory(Type.Array(oneOf(['text', 'image']))),
      ),
    }),
  ),
})
export type ModerateReply = Static<typeof ModerateReply>

export const moderate = operation({
  summary: 'Check text and images for harmful content',
  tag: 'Moderations',
  method: 'POST',
  paths: ['/v1/moderations'],
  body: 'json',
  request: ModerateRequest,
  reply: ModerateReply,
  event: Type.Never(),
  example: { input: 'I will water the garden tomorrow.' },
  check({ input }) {
    if (typeof input === 'string') return
    for (const [index, part] of input.entries())
      if (typeof part !== 'string' && part[part.type] == null)
        throw invalidRequest(`Missing required parameter`, `input[${index}].${part.type}`)
  },
})
