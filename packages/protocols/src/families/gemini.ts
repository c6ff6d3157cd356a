import type { Effort } from '../efforts.ts'

/** How thinking is requested from a Gemini model: by a level (3 and later), by a budget in tokens (2.5), or not at all. */
type ThinkingStyle = 'level' | 'budget' | 'none'

/**
 * The generation in a model's name, such as 2.5. Names without one (`gemini-flash-latest`, tuned models) count as newer than
 * all. Gemma has none of Gemini's abilities and counts as 0.
 */
export function generationOf(model: string): number {
  if (/(^|\/)gemma/i.test(model)) return 0
  const version = /gemini-(\d+(?:\.\d+)?)/i.exec(model)?.[1]
  return version === undefined ? Number.POSITIVE_INFINITY : Number(version)
}

/** Gemini API, thinking guide: thinkingLevel from Gemini 3 on, thinkingBudget for 2.5. */
export function thinkingStyleOf(model: string): ThinkingStyle {
  const generation = generationOf(model)
  if (generation >= 3) return 'level'
  return generation >= 2.5 ? 'budget' : 'none'
}

/**
 * The thinking levels that models from Gemini 3 on support, in ascending order; others get a 400 (Gemini API, thinking guide:
 * levels by model; Firebase AI Logic, thinking; error responses reported by users). The first matching row decides.
 */
const levels: readonly (readonly [RegExp, readonly Effort[]])[] = [
  [/-pro-image/, ['high']],
  [/-image/, ['minimal', 'high']],
  [/gemini-3-pro/, ['low', 'high']],
  [/-pro\b|gemini-3\.[7-9]-flash(?!-lite)/, ['low', 'medium', 'high']],
]

export function thinkingLevelsOf(model: string): readonly Effort[] {
  const name = model.toLowerCase()
  const found = levels.find(([pattern]) => pattern.test(name))
  return found?.[1] ?? ['minimal', 'low', 'medium', 'high']
}

/** Plain JSON Schema in tools and responses, and the mode VALIDATED: Gemini 2.5 and later. */
export function takesJsonSchema(model: string): boolean {
  return generationOf(model) >= 2.5
}

/** Gemini 3 rejects a function call in the history that has no thought signature. */
export function demandsSignatures(model: string): boolean {
  return generationOf(model) >= 3
}

/**
 * Whether a model continues a last message of its own. From 3.2 on models respond with 400: "Requests ending with a model turn
 * are not supported" (LibreChat-AI/agents#323, pipecat-ai/pipecat#5821); 3.5 Flash still accepted it.
 */
export function takesPrefill(model: string): boolean {
  return generationOf(model) < 3.2 || /gemini-3\.5-flash(?!-lite)/i.test(model)
}

/** Ids of calls and results at Vertex AI: "Unknown name \"id\"" before Gemini 3. The Gemini API takes them for all models. */
export function takesIdsAtVertex(model: string): boolean {
  return generationOf(model) >= 3
}

/** Functions together with Google's own tools: from Gemini 3 on (Gemini API, tool combination). */
export function mixesTools(model: string): boolean {
  return generationOf(model) >= 3
}

/** Computer use with the functions of the first models, such as `click_at` (Gemini API, computer use: legacy UI actions). */
export function usesFirstComputer(model: string): boolean {
  return generationOf(model) < 3.5
}

/** From Gemini 2.5 on, a penalty gets a 400: "Penalty is not enabled for this model". */
export function takesPenalties(model: string): boolean {
  return generationOf(model) < 2.5
}

/** Text-to-speech models respond with audio only. */
export function speaksOnly(model: string): boolean {
  return /-tts\b/i.test(model)
}

/** Whether the name tells the generation of a Gemini model. All others may accept everything. */
export function isKnownGemini(model: string): boolean {
  return /gemini-\d/i.test(model)
}

/**
 * The greatest maxOutputTokens that a model accepts (Gemini API, models: output token limit). Undefined if it is unknown, and
 * for models that write no text alone.
 */
export function geminiOutputMax(model: string): number | undefined {
  if (!isKnownGemini(model) || /image|-tts|audio|live|embedding|robotics|computer/i.test(model))
    return undefined
  const generation = generationOf(model)
  if (generation < 2.5) return 8192
  return generation < 4 ? 65_536 : undefined
}
