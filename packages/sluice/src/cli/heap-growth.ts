import { constants, type NodeGCPerformanceDetail, PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Both halves of what V8 calls the new space. */
const youngBytesMax = 64 * 1024 * 1024

/** What may be allocated, in the heap and outside of it, before everything that is alive is marked again. */
const roomBytes = 96 * 1024 * 1024
/** The same for a large heap, as a share of it in percent. */
const roomPercentMin = 50

/** As V8 starts, by flags that it reads each time that it could grow, and not, as others, before any of our code runs. */
const usual = { 'semi-space-growth-factor': 2, 'heap-growing-percent': 0 }
type Flag = keyof typeof usual

/**
 * Says how V8's heap grows, until disposed.
 *
 * Its space for young objects grows to 64 MB and no further; by itself it takes 128 MB on a machine with some memory. What a
 * stream leaves behind when it begins waits there for a collection that does not come as long as many streams only wait. With
 * half of it again a short call would cost 4 % more.
 *
 * After the first full collection, which a minute without calls brings, V8 would collect fully again whenever the heap, with
 * the bodies that lie outside of it, has grown by a few megabytes: ten times a second and more with bodies of 100 KB, each
 * time on all of its threads. It gets room for the bodies of the calls between two collections of young objects.
 *
 * Of young objects little is alive, so that one thread collects them in a millisecond or two; what several spend on waking and
 * waiting for each other made a call of 2 KB cost 5 % more and one of 100 KB 16 %.
 */
export function setHeapGrowth(): Disposable {
  const flags: Record<Flag, number> = { ...usual }
  const set = (flag: Flag, value: number) => {
    if (flags[flag] === value) return
    setFlagsFromString(`--${flag}=${value}`)
    flags[flag] = value
  }
  setFlagsFromString('--no-parallel-scavenge')
  const observer = new PerformanceObserver((list) => {
    // V8 makes the space smaller when little is allocated, and it has to grow again after that.
    set('semi-space-growth-factor', youngBytes() < youngBytesMax ? 2 : 1)
    if (list.getEntries().some(isOfAll)) set('heap-growing-percent', roomPercent())
  })
  observer.observe({ entryTypes: ['gc'] })
  return {
    [Symbol.dispose]() {
      observer.disconnect()
      // Compiled code is kept for the next start with the flags that it was compiled with.
      for (const [flag, value] of Object.entries(usual)) set(flag as Flag, value)
      setFlagsFromString('--parallel-scavenge')
    },
  }
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0
}

function isOfAll(entry: object): boolean {
  const { kind } = (entry as { readonly detail: NodeGCPerformanceDetail }).detail
  return kind === constants.NODE_PERFORMANCE_GC_MAJOR
}

function roomPercent(): number {
  const old = getHeapSpaceStatistics().filter(({ space_name: name }) => !name.startsWith('new_'))
  const used = old.reduce((sum, space) => sum + space.space_used_size, 0)
  // In steps, so that the flag changes seldom: V8 hashes all flags after each change.
  return Math.max(roomPercentMin, Math.ceil((10 * roomBytes) / used) * 10)
}
