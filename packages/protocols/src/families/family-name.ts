import { modelFamily } from '../bedrock/model-family.ts'
import { chatFamily, unknownFamily } from './chat-models.ts'
import { knownClaude } from './claude.ts'
import { isKnownGemini } from './gemini.ts'

/** The first of a model's names that tells its family; if none does, the last. */
export function familyName(names: readonly [string, ...string[]]): string {
  return names.find(tellsFamily) ?? names.at(-1) ?? names[0]
}

function tellsFamily(name: string): boolean {
  return (
    chatFamily(name) !== unknownFamily ||
    knownClaude(name) !== undefined ||
    isKnownGemini(name) ||
    !/^(?:unknown|other)$/.test(modelFamily(name))
  )
}
