/** The day of a time in UTC, such as 2027-01-31. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
