import { type Fields, isObject, listOf, objectOf, someText } from '@sluice/contract'

/**
 * An image edit in JSON as other servers accept it: `image` and `mask` as addresses, lists or objects with a `url`, `images` as plain
 * addresses or as parts of a chat (xAI, Together, Volcengine), in OpenAI's form.
 */
export function respellEdit({ image, images, mask, ...rest }: Fields): Fields {
  const all = [...itemsOf(image), ...itemsOf(images)]
  return {
    ...rest,
    ...(all.length > 0 && { images: all.map(referenceOf) }),
    ...(mask != null && { mask: referenceOf(mask) }),
  }
}

function itemsOf(given: unknown): readonly unknown[] {
  if (given == null) return []
  return Array.isArray(given) ? listOf(given) : [given]
}

/** What is no reference stays as it is, so that the schema names it. */
function referenceOf(item: unknown): unknown {
  if (typeof item === 'string') return { image_url: item }
  if (!isObject(item)) return item
  const { url, image_url: address } = item
  const found = someText(url) ?? someText(objectOf(address)['url'])
  return found === undefined ? item : { image_url: found }
}
