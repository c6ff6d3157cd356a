/** A caption and when it is shown, in seconds. */
export interface Cue {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** SubRip: numbered cues with a comma before the milliseconds. */
export function formatSrt(cues: readonly Cue[]): string {
  return cues
    .map((cue, i) => `${i + 1}\n${time(cue.start, ',')} --> ${time(cue.end, ',')}\n${cue.text}\n\n`)
    .join('')
}

/** WebVTT (W3C): a header, then cues with a full stop before the milliseconds. */
export function formatVtt(cues: readonly Cue[]): string {
  const lines = cues.map(
    (cue) => `${time(cue.start, '.')} --> ${time(cue.end, '.')}\n${cue.text}\n\n`,
  )
  return `WEBVTT\n\n${lines.join('')}`
}

function time(seconds: number, point: string): string {
  const whole = Math.round(seconds * 1000)
  const pad = (value: number, digits = 2): string => String(value).padStart(digits, '0')
  const clock = [whole / 3_600_000, (whole / 60_000) % 60, (whole / 1000) % 60]
  return `${clock.map((part) => pad(Math.floor(part))).join(':')}${point}${pad(whole % 1000, 3)}`
}
