import {
  type ChatChunk,
  type ChatReply,
  type ChatRequest,
  formatJson,
  isObject,
  parseJson,
  type Step,
  someText,
  type ToolCall,
  type ToolCallDelta,
} from '@sluice/contract'
import { isTooMuch } from '../call-arguments.ts'

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

/** A call that is held back: an incomplete wrapper, or a call that came after one. */
interface PendingCall {
  readonly first: ToolCallDelta
  text: string
}

type Steps = readonly Step<ChatChunk>[]

/** Reads the steps of one stream. A wrapper is replaced by its single calls once it is complete. */
export class CallUnfolder {
  readonly #offered: ReadonlySet<string>
  /** By choice and slot, in the order in which they began. */
  readonly #pending = new Map<number, Map<number, PendingCall>>()
  #last: ChatChunk | undefined

  constructor(offered: ReadonlySet<string>) {
    this.#offered = offered
  }

  /** Usually returns the same steps. */
  read(steps: Steps): Steps {
    return steps.map((step) => ('event' in step ? this.#readChunk(step) : step))
  }

  /** Called once after the last step. Returns what was still held back. */
  end(): Steps {
    const chunk = this.#last
    if (chunk === undefined || this.#pending.size === 0) return []
    const choices = [...this.#pending.keys()].map((index) => ({
      index,
      delta: { tool_calls: this.#released(index) },
      finish_reason: null,
    }))
    return [{ event: { ...chunk, choices } }]
  }

  #readChunk(step: { readonly event: ChatChunk }): Step<ChatChunk> {
    const { event } = step
    const concerns = event.choices.some(
      ({ index, delta, finish_reason: reason }) =>
        delta.tool_calls !== undefined || (reason !== null && this.#pending.has(index)),
    )
    if (!concerns) return step
    this.#last = event
    return { event: { ...event, choices: event.choices.map((choice) => this.#choice(choice)) } }
  }

  #choice(choice: ChatChunk['choices'][number]): ChatChunk['choices'][number] {
    const { index, finish_reason: reason } = choice
    const { tool_calls: calls = [], ...delta } = choice.delta
    const passed = calls.filter((piece) => !this.#holds(index, piece))
    if (reason !== null) passed.push(...this.#released(index))
    return { ...choice, delta: passed.length === 0 ? delta : { ...delta, tool_calls: passed } }
  }

  /** Whether the piece is held back: pieces of a wrapper, and of calls that began after one, so that calls keep their order. */
  #holds(choice: number, piece: ToolCallDelta): boolean {
    const pending = this.#pending.get(choice)
    const open = pending?.get(piece.index)
    if (open !== undefined) {
      open.text += textIn(piece)
      return true
    }
    const name = piece.function?.name ?? piece.custom?.name
    if (name === undefined || (pending === undefined && !wrappers.has(name))) return false
    const slots = pending ?? new Map<number, PendingCall>()
    this.#pending.set(choice, slots)
    slots.set(piece.index, { first: piece, text: textIn(piece) })
    return true
  }

  #released(choice: number): ToolCallDelta[] {
    const pending = this.#pending.get(choice)
    this.#pending.delete(choice)
    const [first = 0] = pending?.keys() ?? []
    return [...(pending?.values() ?? [])]
      .flatMap((one) => this.#callsOf(one))
      .map((call, place) => ({ ...call, index: first + place }))
  }

  #callsOf({ first, text }: PendingCall): readonly (ToolCall | ToolCallDelta)[] {
    if (first.custom !== undefined) return [{ ...first, custom: { ...first.custom, input: text } }]
    const { name = '' } = first.function ?? {}
    const called = { name, arguments: text }
    const { id = '', extra_content: extra } = first
    const signed = extra == null ? {} : { extra_content: extra }
    const single = unfolded({ id, function: called, ...signed }, this.#offered)
    return single ?? [{ ...first, function: called }]
  }
}

function textIn({ function: called, custom }: ToolCallDelta): string {
  return called?.arguments ?? custom?.input ?? ''
}
