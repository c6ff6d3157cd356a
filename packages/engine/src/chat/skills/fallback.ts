import type { Answer } from '../ask/ask.ts'

/** Used if no skill applies: says what the engine is, and how to connect a model. */
export const fallback: Answer = {
  skill: 'none',
  phrasings: [
    "I am Sluice's built-in engine, which computes its answers without neural weights, and this request needs a language model: set a provider key such as OPENAI_API_KEY or add a provider to sluice.yaml to connect one.",
    'This needs a language model, and I am only the built-in engine of Sluice, which has no neural weights: to connect a model, set a provider key such as OPENAI_API_KEY or add a provider to sluice.yaml.',
    "Sluice's built-in engine has no neural weights and cannot answer this: connect a language model by setting a provider key such as OPENAI_API_KEY or by adding a provider to sluice.yaml.",
  ],
  evidence: [],
}
