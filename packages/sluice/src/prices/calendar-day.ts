/** Whether a text is a day, YYYY-MM-DD, that there is: of 31 February JavaScript's parser makes 3 March. */
export function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
