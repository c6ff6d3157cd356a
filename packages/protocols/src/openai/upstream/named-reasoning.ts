import { type Fields, isObject, objectOf, someText } from '@sluice/contract'

// vLLM, Groq and OpenRouter call reasoning `reasoning`, where callers of chat completions expect `reasoning_content`. In bodies that
// are sent unchanged otherwise it gets that name too.

/** The choice with the reasoning of its message under both names; the same choice if nothing is missing. */
export function withNamedReasoning(choice: Fields, member: 'message' | 'delta'): Fields {
  const inner = objectOf(choice[member])
  return lacksName(inner)
    ? { ...choice, [member]: { ...inner, reasoning_content: inner['reasoning'] } }
    : choice
}

/** Whether a message or a delta has reasoning under the other name alone. */
export function lacksName(inner: unknown): boolean {
  return (
    isObject(inner) &&
    someText(inner['reasoning']) !== undefined &&
    inner['reasoning_content'] == null
  )
}
