import {
  countOf,
  type Fields,
  isObject,
  listOf,
  objectOf,
  serverToolCounts,
  textOf,
  type Usage,
} from '@sluice/contract'
import { usageIn } from '../../usage.ts'

// Tools that Groq runs itself: `executed_tools` of a message (Groq docs, compound systems and built-in tools).

/** Maps Groq's tools to the names that other providers use for them. */
const kinds: Readonly<Record<string, string>> = {
  search: 'web_search',
  browser_search: 'web_search',
  visit: 'web_fetch',
  visit_website: 'web_fetch',
  python: 'code_execution',
  code_interpreter: 'code_execution',
}

export function executedKind(type: unknown): string {
  const name = textOf(type)
  return kinds[name] ?? name
}

/** Counts them over a whole response, or over the chunks of a stream, in which each one is repeated when it is done. */
export class ExecutedTools {
  readonly #kinds = new Map<string, string>()

  see(choices: readonly Fields[]): void {
    for (const choice of choices) {
      const { executed_tools: executed } = objectOf(choice['message'] ?? choice['delta'])
      if (!Array.isArray(executed)) continue
      for (const [place, tool] of executed.filter(isObject).entries()) {
        const index = countOf(tool['index']) ?? place
        this.#kinds.set(`${countOf(choice['index']) ?? 0} ${index}`, executedKind(tool['type']))
      }
    }
  }

  /** The usage including these calls, unless the usage counts calls itself. */
  in(usage: Usage): Usage {
    if (this.#kinds.size === 0) return usage
    const counts: Record<string, number> = {}
    for (const kind of this.#kinds.values()) counts[kind] = (counts[kind] ?? 0) + 1
    return { ...usage, ...serverToolCounts(counts, usage.serverToolCalls) }
  }
}

/** The usage of a whole response, including the calls of tools in its choices. */
export function usageOfAnswer(body: Fields): Usage | undefined {
  const usage = usageIn(body)
  if (usage === undefined) return undefined
  const executed = new ExecutedTools()
  executed.see(listOf(body['choices']).filter(isObject))
  return executed.in(usage)
}
