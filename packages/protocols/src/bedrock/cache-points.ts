import { type Fields, objectOf } from '@sluice/contract'
import { createCacheBreakpoints } from '../claude/cache-breakpoints.ts'
import type { Block } from './media.ts'
import type { CodecContext } from '../protocol.ts'
import { modelFamily } from './model-family.ts'

/** The kind of content that a cache point follows. */
type CachedContent = 'tool' | 'text' | 'media' | 'result'

/** Anthropic's cache breakpoint is part of a block; Converse has a separate block for it, or none. */
export type CachePoints = (
  control: Fields | null | undefined,
  place: CachedContent,
) => readonly Block[]

/**
 * Creates cache points where the model supports them: most vendors' models return 400 for one, Nova for all but those after
 * text (Bedrock, prompt caching; errors reported by users). They only save cost, so unsupported ones are left out.
 */
export function createCachePoints(context: Pick<CodecContext, 'model' | 'leftOut'>): CachePoints {
  const { model } = context
  const breakpoint = createCacheBreakpoints(context)
  const places = placesOf(model)
  return (control, place) => {
    if (control == null) return []
    if (!places.has(place)) {
      context.leftOut('cache_control')
      return []
    }
    const { cache_control: counted } = breakpoint(control)
    if (counted === undefined) return []
    const { type: _, ttl, ...others } = objectOf(counted)
    const isKept = typeof ttl === 'string' && takesTimes(model)
    if (Object.keys(others).length > 0) context.leftOut('cache_control')
    return [{ cachePoint: { type: 'default', ...(isKept ? { ttl } : {}) } }]
  }
}

const everywhere: ReadonlySet<CachedContent> = new Set(['tool', 'text', 'media', 'result'])
const afterTexts: ReadonlySet<CachedContent> = new Set(['text'])
const nowhere: ReadonlySet<CachedContent> = new Set()

function placesOf(model: string): ReadonlySet<CachedContent> {
  const family = modelFamily(model)
  if (family === 'nova') return afterTexts
  if (family === 'unknown') return everywhere
  return family === 'anthropic' && !withoutCache.test(model) ? everywhere : nowhere
}

/** Claude models without prompt caching on Bedrock. */
const withoutCache = /claude-(v2|instant|3-(haiku|sonnet|opus)|3-5-sonnet-20240620)/

/** Whether the retention time can be set: from the 4.5 generation on. */
function takesTimes(model: string): boolean {
  return modelFamily(model) !== 'nova' && !/claude-3-|-4-(1-)?20\d{6}/.test(model)
}
