/** Replaces what is secret. */
export const hidden = '••••••'

/** A URL without its user, password, query and fragment, which may be credentials. What is not a URL is hidden. */
export function shownUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null) return hidden
  if (url.username + url.password + url.search + url.hash === '') return text
  const account = url.username + url.password === '' ? '' : `${hidden}@`
  const query = url.search + url.hash === '' ? '' : `?${hidden}`
  return `${url.protocol}//${account}${url.host}${url.pathname}${query}`
}
