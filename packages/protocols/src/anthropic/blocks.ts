/** A content block of the Messages API, as it goes out. */
export type Block = { readonly type: string } & Readonly<Record<string, unknown>>

/** Anthropic refuses empty and blank text blocks. */
export function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** Media types of images that Claude reads. */
export const imageTypes: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
])
