import { knownClaude } from '../../families/claude.ts'

/** What Anthropic's list says of a model besides its name and limits (Models API reference, ModelInfo). */
export interface ModelFacts {
  readonly line: string | null
  readonly capabilities: object | null
}

const unknown: ModelFacts = { line: null, capabilities: null }

const support = (supported: boolean) => ({ supported })

/**
 * The facts about a Claude model that the gateway knows by its name; null for other models. What is unknown, or works only with
 * some of the providers, is not supported.
 */
export function claudeFacts(name: string): ModelFacts {
  const model = knownClaude(name)
  if (model === undefined) return unknown
  const line = /haiku|sonnet|opus|fable|mythos/.exec(name.toLowerCase())?.[0] ?? null
  const { thinking, off, structured } = model
  // Older models differ from each other in what they read.
  if (thinking === 'none') return { line, capabilities: null }
  const hasEffort = support(thinking !== 'budget')
  return {
    line,
    capabilities: {
      batch: support(false),
      citations: support(true),
      code_execution: support(false),
      context_management: {
        clear_thinking_20251015: null,
        clear_tool_uses_20250919: null,
        compact_20260112: null,
        supported: false,
      },
      effort: {
        high: hasEffort,
        low: hasEffort,
        max: hasEffort,
        medium: hasEffort,
        ...hasEffort,
        xhigh: support(thinking === 'adaptive'),
      },
      image_input: support(true),
      pdf_input: support(true),
      server_tools: {
        code_execution: support(false),
        ...support(true),
        web_search: support(true),
      },
      structured_outputs: support(structured),
      thinking: {
        ...support(true),
        types: {
          adaptive: support(thinking !== 'budget'),
          between_tools: support(off === 'between_tools'),
          disabled: support(off === 'disabled'),
          enabled: support(thinking !== 'adaptive'),
        },
      },
    },
  }
}
