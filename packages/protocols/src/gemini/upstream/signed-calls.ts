import { isObject, listOf, objectOf } from '@sluice/contract'
import { demandsSignatures } from '../../families/gemini.ts'
import type { Change, NativeTarget } from '../../native-target.ts'
import { pick, spelled } from '../spelling.ts'

/**
 * Used instead of a signature if the history came from another model (Gemini API, thought signatures: transferring history).
 * Gemini 3 rejects the first call of a step without a signature.
 */
export const signatureBypass = 'skip_thought_signature_validator'

/** The calls of the current turn that another model made, as a model that demands signatures takes them. Earlier ones are not checked. */
export function signedCalls(request: unknown, { family }: NativeTarget): readonly Change[] {
  const contents = listOf(objectOf(request)['contents'])
  if (!demandsSignatures(family) || signed(contents) === contents) return []
  return [{ path: ['contents'], change: (list) => signed(listOf(list)) }]
}

/** The same list if nothing is missing. */
function signed(contents: readonly unknown[]): readonly unknown[] {
  const begins = contents.findLastIndex(
    (content) =>
      !isModels(content) && !partsOf(content).some((part) => has(part, 'functionResponse')),
  )
  const changed = contents.map((content, at) => (at > begins ? signedContent(content) : content))
  return changed.every((content, at) => content === contents[at]) ? contents : changed
}

const isModels = (content: unknown) => objectOf(content)['role'] === 'model'
const partsOf = (content: unknown) => listOf(objectOf(content)['parts'])

function has(part: unknown, name: string): boolean {
  return isObject(part) && part[spelled(part, name)] != null
}

function signedContent(content: unknown): unknown {
  const parts = partsOf(content)
  const first = parts.findIndex((part) => has(part, 'functionCall'))
  const call = parts[first]
  if (!isObject(call) || pick(call, 'thoughtSignature') != null) return content
  return {
    ...objectOf(content),
    parts: parts.with(first, { ...call, [spelled(call, 'thoughtSignature')]: signatureBypass }),
  }
}
