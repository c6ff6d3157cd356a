import { Type } from '@sluice/contract'
import type { Static } from 'typebox'
import { integer, listOf, mapOf, object, options, text } from './schema-parts.ts'

const usd = (description: string) => Type.Number({ minimum: 0, description })

const tokens = (description: string) =>
  Type.Union(
    [
      usd(`${description} In USD per million tokens.`),
      object(
        {
          price: usd('In USD per million tokens.'),
          above: listOf(
            object(
              {
                tokens: integer({ minimum: 1 }, 'Number of input tokens.'),
                price: usd('In USD per million tokens.'),
              },
              'A price for requests with more input tokens; it applies to all of their tokens.',
            ),
            'Prices for long requests.',
          ),
        },
        `${description} With different prices for long requests.`,
      ),
    ],
    { description: description },
  )

const kinds = (unit: string) =>
  Type.Union(
    [
      usd(`In USD per ${unit}.`),
      listOf(
        object(
          {
            ...options({
              size: text('The requested size, such as 1024x1024. Default: every one.'),
              quality: text('The requested quality, such as hd. Default: every one.'),
            }).properties,
            price: usd(`In USD per ${unit}.`),
          },
          `The price of one size and quality, per ${unit}.`,
        ),
        'Prices by size and quality. The first applies when the request specifies neither.',
      ),
    ],
    { description: `The price per ${unit}.` },
  )

/** A price set by the user; omitted rates stay as known. */
export const price = options(
  {
    input: tokens('Input tokens.'),
    cacheRead: tokens('Input tokens read from a cache. Default: as input.'),
    cacheWrite: tokens('Input tokens written to a cache. Default: as input.'),
    cacheWrite1h: tokens('Input tokens written to a cache for an hour.'),
    audioInput: tokens('Audio tokens of the input.'),
    audioCacheRead: tokens('Audio tokens of the input read from a cache. Default: as cacheRead.'),
    imageInput: tokens('Image tokens of the input. Default: as input.'),
    output: tokens('Output tokens.'),
    reasoning: tokens('Reasoning tokens of the output. Default: as output.'),
    audioOutput: tokens('Audio tokens of the output.'),
    imageOutput: tokens('Image tokens of the output. Default: as output.'),
    characters: usd('Spoken characters. In USD per million characters.'),
    audioSeconds: usd('Transcribed audio. In USD per second.'),
    videoSeconds: kinds('second of video'),
    images: kinds('image'),
    searchUnits: usd('Searches of a rerank. In USD per search.'),
    requests: usd('Every request, in addition to other costs. In USD per request.'),
    tools: mapOf(
      usd('In USD per call.'),
      'Tools that the provider runs, such as web_search, by name.',
    ),
    serviceTiers: mapOf(
      usd('The factor, such as 0.5.'),
      'Price factors by what the provider reports: a service tier such as batch, flex or priority, a speed such as fast, or a region such as us. default applies to calls at the usual tier; the cost at a tier without a factor is unknown.',
    ),
  },
  'A price.',
)

export const prices = mapOf(
  price,
  'Prices of targets, by provider/model, provider/* or the beginning of a name and *. The longest match applies and overrides the bundled price. The cost of a target without a price is unknown in usage, not 0.',
)

export type PriceConfig = Static<typeof price>
