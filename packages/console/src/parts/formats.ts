const time = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

/** Milliseconds since the epoch as a day and a time of this browser; a dash where there is none. */
export function formatTime(at: number | null | undefined): string {
  return at === undefined || at === null ? '–' : time.format(at)
}

/** Whether a moment, in milliseconds since the epoch, is over. */
export function isPast(at: number | undefined): boolean {
  return at !== undefined && at <= Date.now()
}
