import type { SoundSegment } from './segments.ts'

/** What captioners write in brackets, such as `[tone 440 Hz]`; in English, whatever is spoken. */
export function captionOf({ kind, fromHz = 0, toHz = 0 }: SoundSegment): string {
  if (kind !== 'tone') return `[${kind}]`
  const [from, to] = [Math.round(fromHz), Math.round(toHz)]
  if (Math.abs(from / to - 1) < 0.05) return `[tone ${to} Hz]`
  return `[tone ${to > from ? 'rising' : 'falling'} from ${from} Hz to ${to} Hz]`
}
