import type { Fields } from '@sluice/contract'
import type { CodecContext } from '../protocol.ts'

type Control = Fields | null | undefined

/** Writes `cache_control` on blocks, in the order in which the prompt is read: tools, system, messages. */
export type CacheBreakpoints = (control: Control) => { readonly cache_control?: object }

/** Anthropic rejects a fifth breakpoint. Breakpoints only save money, so further ones are left out and reported. */
const breakpointsMax = 4

export function createCacheBreakpoints({
  leftOut,
}: Pick<CodecContext, 'leftOut'>): CacheBreakpoints {
  let count = 0
  return (control) => {
    if (control == null) return {}
    count += 1
    // Report it once, no matter how many are left out.
    if (count === breakpointsMax + 1) leftOut('cache_control')
    if (count > breakpointsMax) return {}
    return { cache_control: control }
  }
}
