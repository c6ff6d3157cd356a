/**
 * The most input tokens that a provider counts for one image: OpenAI's `original` detail takes 10,000 patches at most, Claude
 * 4,784 tokens, Gemini 2,240 at its highest resolution and 258 for each of 16 tiles. Of gpt-4o-mini an image takes 2,833 tokens,
 * and 5,667 for each of 8 tiles (OpenAI API, images and vision; Claude docs, vision; Gemini API, media resolution).
 */
export function imageTokensMax(model: string): number {
  return /gpt-4o-mini/.test(model) ? 48_169 : 10_000
}
