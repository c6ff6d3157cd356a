import {
  type Fields,
  GatewayError,
  isObject,
  listOf,
  type ModerateReply,
  moderationCategories,
  objectOf,
  someText,
} from '@sluice/contract'
import { bodyOf } from '../../failure.ts'
import type { Codec, CodecContext, Decoded, Received } from '../../protocol.ts'
import { readUsage } from '../../usage.ts'

/** Moderations (https://platform.openai.com/docs/api-reference/moderations). */
export const openaiModerate: Codec<'moderate'> = {
  encode: (request, context) => ({
    method: 'POST',
    path: '/moderations',
    body: { kind: 'json', value: { ...request, model: context.model } },
  }),
  decode: decodeModerate,
}

function decodeModerate(received: Received, context: CodecContext): Decoded<'moderate'> {
  const body = bodyOf(received)
  const results = listOf(body['results']).filter(isObject)
  if (results.length === 0)
    throw new GatewayError('upstream_garbled', 'The upstream answered without a result')
  const reply: ModerateReply = {
    id: someText(body['id']) ?? context.newId('modr-'),
    model: context.publicModel,
    results: results.map(resultOf),
  }
  const usage = readUsage(body['usage'])
  return usage === undefined ? { reply } : { reply, usage }
}

/** Older models lack the newest categories (illicit). A category that was not classified counts as not flagged. */
function resultOf(result: Fields): ModerateReply['results'][number] {
  const found = objectOf(result['categories'])
  const scores = objectOf(result['category_scores'])
  const inputs = objectOf(result['category_applied_input_types'])
  const categories = perCategory((name) => found[name] === true)
  return {
    flagged:
      typeof result['flagged'] === 'boolean'
        ? result['flagged']
        : Object.values(found).includes(true),
    categories: { ...others(found, 'boolean'), ...categories },
    category_scores: {
      ...others(scores, 'number'),
      ...perCategory((name) => (typeof scores[name] === 'number' ? scores[name] : 0)),
    },
    ...(Object.keys(inputs).length === 0
      ? {}
      : {
          category_applied_input_types: perCategory((name) =>
            listOf(inputs[name]).filter((kind) => kind === 'text' || kind === 'image'),
          ),
        }),
  }
}

type Category = (typeof moderationCategories)[number]

function perCategory<V>(valueOf: (name: Category) => V): Record<Category, V> {
  // The type of Object.fromEntries loses the keys; all of them are present here.
  return Object.fromEntries(moderationCategories.map((name) => [name, valueOf(name)])) as Record<
    Category,
    V
  >
}

/** The upstream's own categories, such as Mistral's `pii`. */
function others(values: Fields, type: 'boolean' | 'number'): Fields {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === type))
}
