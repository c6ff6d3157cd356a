/** As Vue reads a page: a brace pair would be an expression, and an angle bracket a tag. */
export function plain(text: string): string {
  const escaped = text.replaceAll('{{', '&#123;&#123;').replaceAll('<', '&lt;')
  return escaped.replaceAll('|', '\\|').replaceAll('¦', '|')
}
