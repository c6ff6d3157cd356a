/** Whether a text is an existing day as YYYY-MM-DD. JavaScript's parser would turn 31 February into 3 March. */
export function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
