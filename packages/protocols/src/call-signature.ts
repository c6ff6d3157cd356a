import { objectOf, someText } from '@sluice/contract'

/** The signature that Gemini adds to a call or a text and expects back with it, in the form of Google's OpenAI-compatible endpoint. */
export function callSignature({
  extra_content: extra,
}: {
  readonly extra_content?: unknown
}): string | undefined {
  return someText(objectOf(objectOf(extra)['google'])['thought_signature'])
}

/** The field that holds such a signature on a call. */
export function withSignature(signature: string): {
  readonly extra_content: { readonly google: { readonly thought_signature: string } }
} {
  return { extra_content: { google: { thought_signature: signature } } }
}
