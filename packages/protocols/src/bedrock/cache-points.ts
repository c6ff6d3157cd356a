import { type Fields, objectOf } from '@sluice/contract'
import { createCacheBreakpoints } from '../claude/cache-breakpoints.ts'
import type { Block } from './media.ts'
import type { CodecContext } from '../protocol.ts'
import { modelFamily } from './model-family.ts'

/** What a cache point would follow. */
type Place = 'tool' | 'text' | 'media' | 'result'

/** Anthropic's cache breakpoint stands in the block; Converse has a block of its own for it, or nothing. */
export type CachePoints = (control: Fields | null | undefined, place: Place) => readonly Block[]

/**
 * Cache points where the model takes them: most makers' models answer 400 to one, Nova to all but those after texts
 * (Bedrock, prompt caching; error answers that users report). They only save money, so further ones are left out.
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
    const { ttl } = objectOf(counted)
    const isKept = typeof ttl === 'string' && takesTimes(model)
    return [{ cachePoint: { type: 'default', ...(isKept ? { ttl } : {}) } }]
  }
}

const everywhere: ReadonlySet<Place> = new Set(['tool', 'text', 'media', 'result'])
const afterTexts: ReadonlySet<Place> = new Set(['text'])
const nowhere: ReadonlySet<Place> = new Set()

function placesOf(model: string): ReadonlySet<Place> {
  const family = modelFamily(model)
  if (family === 'nova') return afterTexts
  if (family === 'unknown') return everywhere
  return family === 'anthropic' && !withoutCache.test(model) ? everywhere : nowhere
}

/** Claude before prompts were cached on Bedrock. */
const withoutCache = /claude-(v2|instant|3-(haiku|sonnet|opus)|3-5-sonnet-20240620)/

/** How long a prefix is kept can be said from the 4.5 generation on. */
function takesTimes(model: string): boolean {
  return modelFamily(model) !== 'nova' && !/claude-3-|-4-(1-)?20\d{6}/.test(model)
}
