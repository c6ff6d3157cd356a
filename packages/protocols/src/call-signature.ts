import { objectOf, someText, type ToolCall } from '@sluice/contract'

/** The signature that Gemini adds to a call and expects back with it, in the form of Google's OpenAI-compatible endpoint. */
export function callSignature({
  extra_content: extra,
}: Pick<ToolCall, 'extra_content'>): string | undefined {
  return someText(objectOf(objectOf(extra)['google'])['thought_signature'])
}

/** The field that holds such a signature on a call. */
export function withSignature(signature: string): {
  readonly extra_content: { readonly google: { readonly thought_signature: string } }
} {
  return { extra_content: { google: { thought_signature: signature } } }
}
