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
                tokens: Type.Integer({ minimum: 1, ...described('Number of input tokens.') }),
                price: usd('In USD per million tokens.'),
              },
              'A price for requests with more input tokens; it applies to all of their tokens.',
            ),
            described('Prices for long requests.'),
          ),
        },
        `${description} With different prices for long requests.`,
      ),
    ],
    described(description),
  )

const kinds = (unit: string) =>
  Type.Union(
    [
      usd(`In USD per ${unit}.`),
      listOf(
        object(
          {
            size: optional(text('The requested size, such as 1024x1024. Default: every one.')),
            quality: optional(text('The requested quality, such as hd. Default: every one.')),
            price: usd(`In USD per ${unit}.`),
          },
          `The price of one size and quality, per ${unit}.`,
        ),
        'Prices by size and quality. The first applies when the request specifies neither.',
      ),
    ],
    described(`The price per ${unit}.`),
  )

/** A price set by the user; omitted rates stay as known. */
export const price = object(
  {
    input: optional(tokens('Input tokens.')),
    cacheRead: optional(tokens('Input tokens read from a cache. Default: as input.')),
    cacheWrite: optional(tokens('Input tokens written to a cache. Default: as input.')),
    cacheWrite1h: optional(tokens('Input tokens written to a cache for an hour.')),
    audioInput: optional(tokens('Audio tokens of the input.')),
    audioCacheRead: optional(
      tokens('Audio tokens of the input read from a cache. Default: as cacheRead.'),
    ),
    imageInput: optional(tokens('Image tokens of the input. Default: as input.')),
    output: optional(tokens('Output tokens.')),
    reasoning: optional(tokens('Reasoning tokens of the output. Default: as output.')),
    audioOutput: optional(tokens('Audio tokens of the output.')),
    imageOutput: optional(tokens('Image tokens of the output. Default: as output.')),
    characters: optional(usd('Spoken characters. In USD per million characters.')),
    audioSeconds: optional(usd('Transcribed audio. In USD per second.')),
    videoSeconds: optional(kinds('second of video')),
    images: optional(kinds('image')),
    searchUnits: optional(usd('Searches of a rerank. In USD per search.')),
    requests: optional(usd('Every request, in addition to other costs. In USD per request.')),
    tools: optional(
      mapOf(usd('In USD per call.'), 'Tools that the provider runs, such as web_search, by name.'),
    ),
    serviceTiers: optional(
      mapOf(
        usd('The factor, such as 0.5.'),
        'Price factors by what the provider reports: a service tier such as batch, flex or priority, a speed such as fast, or a region such as us. default applies to calls at the usual tier; the cost at a tier without a factor is unknown.',
      ),
    ),
  },
  'A price.',
)

export const prices = mapOf(
  price,
  'Prices of targets, by provider/model, provider/* or the beginning of a name and *. The longest match applies and overrides the bundled price. The cost of a target without a price is unknown in usage, not 0.',
)

export type PriceConfig = Static<typeof price>
