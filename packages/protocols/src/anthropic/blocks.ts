import { type Fields, objectOf, someText, type ThinkingBlock, textOf } from '@sluice/contract'

/** A content block of the Messages API as it is sent. */
export type Block = { readonly type: string; readonly text?: unknown } & Readonly<
  Record<string, unknown>
>

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

/** Anthropic's responses cannot contain images, so an image becomes a text block. */
export function pictureText(url: string): string {
  return `![image](${url})`
}

/** The URL of the image in such a text. */
export function pictureIn(text: string): string | undefined {
  return /^!\[image\]\((data:image\/[\w.+-]+;base64,[\w+/=]+|https?:[^\s()]+)\)$/.exec(text)?.[1]
}

/** The refusal explanation in Anthropic's words; the response may also contain partial text. */
export function refusalOf(holder: Fields): string | undefined {
  if (holder['stop_reason'] !== 'refusal') return undefined
  return someText(objectOf(holder['stop_details'])['explanation'])
}

/** Separates texts around one of Anthropic's own tools. */
export const blockGap = '\n\n'

/** A reasoning block in the form in which it is returned in a later request. */
export function thinkingBlock(block: Fields): ThinkingBlock {
  if (block['type'] === 'redacted_thinking')
    return { type: 'redacted_thinking', data: textOf(block['data']) }
  return {
    type: 'thinking',
    thinking: textOf(block['thinking']),
    signature: textOf(block['signature']),
  }
}
