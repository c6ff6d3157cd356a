import {
  type ChatReply,
  type ChatRequest,
  formatJson,
  isObject,
  parseJson,
  someText,
  type ToolCall,
} from '@sluice/contract'
import { isTooMuch } from '../call-arguments.ts'
import { HeldCalls } from './held-calls.ts'

// OpenAI's models know a tool of their own that calls several others at once, and occasionally call it although it was not
// offered: `{"tool_uses":[{"recipient_name":"functions.weather","parameters":{…}}]}`. They mean the caller's tools.

const wrappers: ReadonlySet<string> = new Set(['parallel', 'multi_tool_use.parallel'])

const namespace = 'functions.'

/**
 * The caller's functions; undefined if a wrapper is not a mistake because the caller offers it, or if there are no functions.
 */
export function unfoldableTools({ tools }: ChatRequest): ReadonlySet<string> | undefined {
  if (!tools?.length) return undefined
  const names = new Set(tools.flatMap((tool) => tool.function?.name ?? []))
  const isOffered = tools.some((tool) => wrappers.has((tool.function ?? tool.custom)?.name ?? ''))
  return names.size === 0 || isOffered ? undefined : names
}

/** The single calls of a wrapper; undefined for any other call, and if any of its calls names an unknown tool. */
function unfolded(call: ToolCall, offered: ReadonlySet<string>): readonly ToolCall[] | undefined {
  const { function: called, extra_content: extra, id } = call
  if (called === undefined || !wrappers.has(called.name)) return undefined
  const uses = usesIn(called.arguments)
  const calls = uses.flatMap((use, index): ToolCall[] => {
    const name = isObject(use) ? offeredName(use['recipient_name'], offered) : undefined
    const parameters = isObject(use) ? (use['parameters'] ?? {}) : undefined
    if (name === undefined || !isObject(parameters)) return []
    return [
      {
        id: `${id}_${index}`,
        type: 'function',
        function: { name, arguments: formatJson(parameters) },
        ...(index === 0 && extra != null ? { extra_content: extra } : {}),
      },
    ]
  })
  return calls.length === 0 || calls.length < uses.length ? undefined : calls
}

function usesIn(text: string): readonly unknown[] {
  if (isTooMuch(text)) return []
  try {
    const given = parseJson(text)
    const uses = isObject(given) ? given['tool_uses'] : undefined
    return Array.isArray(uses) ? uses : []
  } catch {
    return []
  }
}

function offeredName(recipient: unknown, offered: ReadonlySet<string>): string | undefined {
  const name = someText(recipient)
  if (name === undefined || offered.has(name)) return name
  const plain = name.startsWith(namespace) ? name.slice(namespace.length) : ''
  return offered.has(plain) ? plain : undefined
}

/** Usually returns the same response. */
export function unfoldedReply(reply: ChatReply, offered: ReadonlySet<string>): ChatReply {
  const isWrapped = reply.choices.some(({ message }) =>
    message.tool_calls?.some((call) => wrappers.has(call.function?.name ?? '')),
  )
  if (!isWrapped) return reply
  return {
    ...reply,
    choices: reply.choices.map((choice) => {
      const { tool_calls: calls } = choice.message
      if (calls === undefined) return choice
      const single = calls.flatMap((call) => unfolded(call, offered) ?? [call])
      return { ...choice, message: { ...choice.message, tool_calls: single } }
    }),
  }
}

/** Reads the steps of one stream. A wrapper is replaced by its single calls once it is complete. */
export function createCallUnfolder(offered: ReadonlySet<string>): HeldCalls {
  return new HeldCalls({
    waits: (name) => wrappers.has(name),
    passed: (piece) => piece,
    whole(first, text) {
      const { id = '', extra_content: extra, custom } = first
      if (custom !== undefined) return [{ ...first, custom: { ...custom, input: text } }]
      const called = { name: first.function?.name ?? '', arguments: text }
      const signed = extra == null ? {} : { extra_content: extra }
      const single = unfolded({ id, function: called, ...signed }, offered)
      return single ?? [{ ...first, function: called }]
    },
  })
}
