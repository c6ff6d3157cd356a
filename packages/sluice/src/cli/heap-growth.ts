import { constants, type NodeGCPerformanceDetail, PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Both halves of V8's new space, which doubles: usually it grows to 64 MB, and it may also grow from 36 to 72. */
const youngBytesMax = 80 * 1024 * 1024
/** How full new space is when V8 plans its collection, in percent. What is allocated until it comes has to fit as well. */
const youngPercentMax = 97

/** Bytes that may be allocated, inside and outside the heap, before the next full collection. */
const roomBytes = 96 * 1024 * 1024
/** Minimum growth of a large heap before the next full collection, in percent. */
const roomPercentMin = 50

/**
 * V8's default values of flags that it reads whenever the heap may grow, unlike others that it reads before any of our code
 * runs.
 */
const usual = {
  'semi-space-growth-factor': 2,
  'heap-growing-percent': 0,
  'memory-reducer-gc-count': 2,
  'minor-gc-task-trigger': 80,
}
type Flag = keyof typeof usual

/** All flags that are set. V8 ignores those it does not know. */
export const heapFlags: readonly string[] = [...Object.keys(usual), 'parallel-scavenge']

/**
 * Controls how V8's heap grows, until disposed.
 *
 * New space grows to about 64 MB; by default V8 uses 128 MB on a machine with some memory, and it also would if the space could
 * double from any size below 64 MB. Garbage from the beginning of a stream stays there until a collection, which does not come while
 * many streams only wait. With half of this space a short call would cost 4 % more. It is filled to 97 % instead of 80 % before it is collected: a fifth fewer collections, each of
 * which copies what the open calls hold.
 *
 * After the first full collection, which a minute without calls triggers, V8 would run another one whenever the heap and its
 * external bodies have grown by a few megabytes: ten times a second and more with bodies of 100 KB, each time on all of its
 * threads. The extra room holds the bodies of calls between two minor collections.
 *
 * Some seconds after the last full collection V8 would collect an idle heap twice more and make it as small as possible. It
 * then also forgets the shapes of objects that no object has at the moment, and with them most of the optimized code: the next
 * thousand calls took four times as long, and ten thousand more were slower. This is switched off: an idle gateway keeps up to
 * 70 MB that it needs again for the next calls.
 *
 * Few young objects survive, so one thread collects them in a millisecond or two. The synchronization of several threads made
 * a call of 2 KB cost 5 % more and one of 100 KB 16 %.
 */
export function setHeapGrowth(): Disposable {
  const flags: Record<Flag, number> = { ...usual }
  const set = (flag: Flag, value: number) => {
    if (flags[flag] === value) return
    setFlagsFromString(`--${flag}=${value}`)
    flags[flag] = value
  }
  setFlagsFromString('--no-parallel-scavenge')
  set('memory-reducer-gc-count', 0)
  set('minor-gc-task-trigger', youngPercentMax)
  const observer = new PerformanceObserver((list) => {
    // V8 shrinks the space when little is allocated, and it must be able to grow again.
    set('semi-space-growth-factor', 2 * youngBytes() <= youngBytesMax ? 2 : 1)
    if (list.getEntries().some(isOfAll)) set('heap-growing-percent', roomPercent())
  })
  observer.observe({ entryTypes: ['gc'] })
  return {
    [Symbol.dispose]() {
      observer.disconnect()
      // The compile cache is valid only for the flags the code was compiled with.
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
  // Rounded, so that the flag changes rarely: V8 hashes all flags after each change.
  return Math.max(roomPercentMin, Math.ceil((10 * roomBytes) / used) * 10)
}
