import { createUniqueNames } from '../unique-names.ts'

/**
 * Call ids as Anthropic takes them: `^[a-zA-Z0-9_-]+$`, each used once in a conversation. Ids that fit stay as they
 * are. Some upstreams begin to count anew in every step, so a result belongs to the last call of its id.
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
