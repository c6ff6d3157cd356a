import type { StopRule } from '../stops/stop-rule.ts'

/** https://ai.google.dev/api/generate-content#GenerationConfig. */
export const geminiStops: StopRule = { most: 5 }
