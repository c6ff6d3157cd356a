/** What a template may begin with. */
const templateTokens = 64

/** The tokens that a budget reserves for a request without media and tools: one for each byte, and the output it allows. */
export function reservedTokens(body: object): number {
  const { max_tokens: output } = body as { readonly max_tokens?: number }
  return Buffer.byteLength(JSON.stringify(body)) + templateTokens + (output ?? 0)
}
