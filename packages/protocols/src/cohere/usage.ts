import {
  countOf,
  type Fields,
  isObject,
  objectOf,
  serverToolCounts,
  type Usage,
} from '@sluice/contract'

/**
 * Usage of a chat completion. `tokens` counts what the model read and wrote, and `cached_tokens` is a part of what it read.
 * `billed_units` leaves out Cohere's own preamble and is used if `tokens` is missing.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  const counted = isObject(value['tokens']) ? value['tokens'] : objectOf(value['billed_units'])
  const input = countOf(counted['input_tokens'])
  const output = countOf(counted['output_tokens'])
  if (input === undefined && output === undefined) return undefined
  const cached = countOf(value['cached_tokens'])
  const billed = objectOf(value['billed_units'])
  const billedInput = countOf(billed['input_tokens'])
  const billedOutput = countOf(billed['output_tokens'])
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(billedInput === undefined ? {} : { billedInputTokens: billedInput }),
    ...(billedOutput === undefined ? {} : { billedOutputTokens: billedOutput }),
    // Billed beside the tokens: calls of tools that have no price until one is set.
    ...serverToolCounts({
      search: countOf(billed['search_units']) ?? 0,
      classification: countOf(billed['classifications']) ?? 0,
    }),
  }
}

/** Usage of embeddings and rerank, from `meta`. */
export function readBilledUnits(meta: Fields): Usage | undefined {
  const units = objectOf(meta['billed_units'])
  const input = countOf(units['input_tokens'])
  const images = countOf(units['image_tokens'])
  const searches = countOf(units['search_units'])
  if (input === undefined && images === undefined && searches === undefined) return undefined
  return {
    inputTokens: (input ?? 0) + (images ?? 0),
    outputTokens: 0,
    ...(images === undefined ? {} : { imageInputTokens: images }),
    ...(searches === undefined ? {} : { searchUnits: searches }),
  }
}
