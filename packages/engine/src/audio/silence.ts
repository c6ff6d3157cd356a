import { levelsPerSecond, silenceDb } from './listen.ts'

/** A stretch of time in whole steps of one clock; `end` is exclusive. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

/** A gap shorter than this, in hundredths of a second, is part of the sound around it. */
const gapMin = 0.2 * levelsPerSecond

/**
 * Where there is sound, in hundredths of a second. In a noisy recording what lies near its floor is silence too:
 * a pause in speech is one although the room hums on.
 */
export function findSounds(levels: Float32Array): readonly Stretch[] {
  const threshold = soundThreshold(levels)
  const sounds: Stretch[] = []
  let start = -1
  for (let i = 0; i <= levels.length; i++) {
    const loud = i < levels.length && (levels[i] ?? -120) >= threshold
    if (loud && start < 0) start = i
    if (loud || start < 0) continue
    const last = sounds.at(-1)
    if (last !== undefined && start - last.end < gapMin)
      sounds[sounds.length - 1] = { start: last.start, end: i }
    else sounds.push({ start, end: i })
    start = -1
  }
  return sounds
}

function soundThreshold(levels: Float32Array): number {
  const sorted = levels.toSorted()
  const quantile = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? -120
  const floor = quantile(0.1)
  const loud = quantile(0.95)
  // Without a wide gap between the quiet and the loud parts there is no floor, only an even sound.
  return Math.max(silenceDb, Math.min(floor + 8, loud - 28))
}
