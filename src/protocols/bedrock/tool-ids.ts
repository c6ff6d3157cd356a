import type { ChatRequest } from '../../operations/chat.ts'
import { modelFamily } from './model-family.ts'

/**
 * Call ids as Converse takes them: [a-zA-Z0-9_-], at most 64 characters; for Mistral models exactly nine letters and
 * digits. Ids that fit stay; others are replaced, the same id always by the same one, and never two by one.
 */
export function toolIds(messages: ChatRequest['messages'], model: string): (id: string) => string {
  const mistral = modelFamily(model) === 'mistral'
  const fits = mistral ? /^[a-zA-Z0-9]{9}$/ : /^[a-zA-Z0-9_-]{1,64}$/
  const calls = messages.flatMap((message) => message.tool_calls ?? []).map(({ id }) => id)
  const taken = new Set(calls.filter((id) => fits.test(id)))
  const replaced = new Map<string, string>()
  let count = 0
  for (const id of calls) {
    if (fits.test(id) || replaced.has(id)) continue
    let candidate: string
    do candidate = `call${String((count += 1)).padStart(5, '0')}`
    while (taken.has(candidate))
    replaced.set(id, candidate)
  }
  return (id) => replaced.get(id) ?? id
}
