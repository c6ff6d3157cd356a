import { Type } from '@sluice/contract'
import type { Static } from 'typebox'
import { described, listOf, mapOf, object, optional, text } from './schema-parts.ts'

const usd = (description: string) => Type.Number({ minimum: 0, description })

const tokens = (description: string) =>
  Type.Union(
    [
      usd(`${description} In USD per million tokens.`),
      object(
        {
          price: usd('In USD per million tokens.'),
          above: Type.Array(
            object(
              {
                tokens: Type.Integer({ minimum: 1, ...described('Tokens of input.') }),
                price: usd('In USD per million tokens.'),
              },
              'A price for requests with more input than that; it holds for all of their tokens.',
            ),
            described('Prices of long requests.'),
          ),
        },
        `${description} With other prices for long requests.`,
      ),
    ],
    described(description),
  )

const kinds = (unit: string) =>
  Type.Union(
    [
      usd(`In USD for ${unit}.`),
      listOf(
        object(
          {
            size: optional(
              text('The size that is asked for, such as 1024x1024. Default: every one.'),
            ),
            quality: optional(
              text('The quality that is asked for, such as hd. Default: every one.'),
            ),
            price: usd(`In USD for ${unit}.`),
          },
          `The price of one kind of ${unit}.`,
        ),
        'Prices by kind. The first holds where nothing is asked for.',
      ),
    ],
    described(`The price of ${unit}.`),
  )

/** A price set by the user; omitted rates stay as known. */
export const price = object(
  {
    input: optional(tokens('Input tokens.')),
    cacheRead: optional(tokens('Input tokens read from a cache. Default: as input.')),
    cacheWrite: optional(tokens('Input tokens written to a cache. Default: as input.')),
    cacheWrite1h: optional(tokens('Input tokens written to a cache for an hour.')),
    audioInput: optional(tokens('Audio tokens of the input.')),
    imageInput: optional(tokens('Image tokens of the input. Default: as input.')),
    output: optional(tokens('Output tokens.')),
    reasoning: optional(tokens('Reasoning tokens of the output. Default: as output.')),
    audioOutput: optional(tokens('Audio tokens of the output.')),
    imageOutput: optional(tokens('Image tokens of the output. Default: as output.')),
    characters: optional(usd('Characters that are spoken. In USD per million characters.')),
    audioSeconds: optional(usd('Audio that is transcribed. In USD for a second.')),
    videoSeconds: optional(kinds('a second of video')),
    images: optional(kinds('an image')),
    searchUnits: optional(usd('Searches of a rerank. In USD for one.')),
    requests: optional(usd('Every request, beside what else it costs. In USD for one.')),
    tools: optional(
      mapOf(
        usd('In USD for a call.'),
        'Tools that the provider runs itself, such as web_search, by name.',
      ),
    ),
    serviceTiers: optional(
      mapOf(
        usd('The factor, such as 0.5.'),
        'What the price is multiplied by where the provider says that it served in another way, such as batch, flex or priority; default stands for all others.',
      ),
    ),
  },
  'A price.',
)

export const prices = mapOf(
  price,
  'What targets cost, by provider/model, provider/* or the beginning of a name and *. The longest name wins over shorter ones, and all over the prices that are known without; a target that has no price has no cost in usage, which is not the same as 0.',
)

export type PriceConfig = Static<typeof price>
