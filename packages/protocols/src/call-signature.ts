import { objectOf, someText, type ToolCall } from '@sluice/contract'

/** The signature that Gemini puts on a call and wants back with it, as Google's own OpenAI-compatible endpoint has it. */
export function callSignature({
  extra_content: extra,
}: Pick<ToolCall, 'extra_content'>): string | undefined {
  return someText(objectOf(objectOf(extra)['google'])['thought_signature'])
}

/** The field that carries such a signature on a call. */
export function withSignature(signature: string): {
  readonly extra_content: { readonly google: { readonly thought_signature: string } }
} {
  return { extra_content: { google: { thought_signature: signature } } }
}
