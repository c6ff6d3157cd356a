import { createUniqueNames } from '../unique-names.ts'

/**
 * Call ids in the form that Anthropic accepts: `^[a-zA-Z0-9_-]+$`, each used once in a conversation. Valid ids are kept. Some
 * upstreams restart their numbering in every step, so a result belongs to the latest call with its id.
 */
export interface ToolIds {
  /** The id to write for a call. */
  call(id: string): string
  /** The id to write for the result of that call. */
  result(id: string): string
}

export function createToolIds(): ToolIds {
  const unique = createUniqueNames('_')
  const last = new Map<string, string>()
  return {
    call(id) {
      const written = unique(id.replaceAll(/[^a-zA-Z0-9_-]/g, '_') || 'call')
      last.set(id, written)
      return written
    },
    result: (id) => last.get(id) ?? id.replaceAll(/[^a-zA-Z0-9_-]/g, '_'),
  }
}
