type Control = Readonly<Record<string, unknown>> | null | undefined

/** Writes `cache_control` on blocks, in the order in which the prompt is read: tools, system, messages. */
export type CacheBreakpoints = (control: Control) => { readonly cache_control?: object }

/** Anthropic refuses a fifth breakpoint; it only saves money, so further ones are left out. */
const breakpointsMax = 4

export function createCacheBreakpoints(): CacheBreakpoints {
  let count = 0
  return (control) => {
    if (control == null || count >= breakpointsMax) return {}
    count += 1
    return { cache_control: control }
  }
}
