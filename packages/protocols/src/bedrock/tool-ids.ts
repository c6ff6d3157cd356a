import { createToolIds, type ToolIds } from '../claude/tool-ids.ts'
import { modelFamily } from './model-family.ts'

/** The maximum length of a toolUseId in Converse. */
const idCharactersMax = 64

/**
 * Makes call ids valid for Converse: [a-zA-Z0-9_-], at most 64 characters, unique; for Mistral models exactly nine letters and
 * digits. Valid ids are kept. A result belongs to the last call with its id.
 */
export function converseToolIds(model: string): ToolIds {
  const plain = createToolIds()
  const mistral = modelFamily(model) === 'mistral'
  const fits = mistral ? /^[a-zA-Z0-9]{9}$/ : /^.{1,64}$/
  const last = new Map<string, string>()
  let count = 0
  return {
    call(id) {
      const given = plain.call(id)
      if (fits.test(given)) {
        last.set(id, given)
        return given
      }
      count += 1
      const made = mistral
        ? `call${String(count).padStart(5, '0')}`
        : `${given.slice(0, idCharactersMax - 7)}_${String(count).padStart(6, '0')}`
      last.set(id, made)
      return made
    },
    result: (id) => last.get(id) ?? plain.result(id),
  }
}
