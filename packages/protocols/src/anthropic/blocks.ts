/** A content block of the Messages API as it is sent. */
export type Block = { readonly type: string } & Readonly<Record<string, unknown>>

/** Anthropic refuses empty and blank text blocks. */
export function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** Image media types that Claude accepts. */
export const imageTypes: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
])
