import type {
  ChatChunk,
  FinishReason,
  ServerSentEvent,
  Step,
  ToolCallDelta,
} from '@sluice/contract'
import { argumentsText, mayBeNone } from './call-arguments.ts'
import type { StreamCodec, StreamReader } from './protocol.ts'

type Steps = readonly Step<ChatChunk>[]
type Choice = ChatChunk['choices'][number]

/** A reader whose calls always have an object for arguments: where the upstream gives none, or `null`, it is `{}`. */
export function wholeCalls(create: StreamCodec<'chat'>['reader']): StreamCodec<'chat'>['reader'] {
  return (context, request) => new CallReader(create(context, request))
}

class CallReader implements StreamReader<'chat'> {
  readonly #inner: StreamReader<'chat'>
  readonly #calls = new CallArguments()

  constructor(inner: StreamReader<'chat'>) {
    this.#inner = inner
  }

  read(event: ServerSentEvent): Steps {
    return this.#calls.complete(this.#inner.read(event))
  }

  end(): Steps {
    return this.#calls.complete(this.#inner.end())
  }
}

/** The arguments of the calls of one stream, as far as it cannot be said yet that there are any. */
export class CallArguments {
  /** By choice and slot: what was kept back. A call whose arguments have begun is kept as undefined. */
  readonly #kept = new Map<number, Map<number, string | undefined>>()

  /** The same steps, nearly always, with `{}` for the arguments of calls that end without any. */
  complete(steps: Steps): Steps {
    return steps.some(concernsCalls) ? steps.flatMap((step) => this.#completeStep(step)) : steps
  }

  #completeStep(step: Step<ChatChunk>): Steps {
    if (!('event' in step)) return [step]
    const { event } = step
    const ended = event.choices.flatMap((choice) => this.#endOf(choice))
    const choices = event.choices.map((choice) => this.#completeChoice(choice))
    const told = { event: { ...event, choices } }
    return ended.length === 0 ? [told] : [{ event: { ...event, choices: ended } }, told]
  }

  #completeChoice(choice: Choice): Choice {
    const pieces = choice.delta.tool_calls
    if (pieces === undefined) return choice
    const told = pieces.flatMap((piece) => this.#completePiece(choice.index, piece))
    return { ...choice, delta: { ...choice.delta, tool_calls: told } }
  }

  #completePiece(choice: number, piece: ToolCallDelta): readonly ToolCallDelta[] {
    const { function: called, index } = piece
    if (called === undefined) return [piece]
    const slots = this.#kept.get(choice) ?? new Map<number, string | undefined>()
    this.#kept.set(choice, slots)
    if (slots.has(index) && slots.get(index) === undefined) return [piece]
    const text = (slots.get(index) ?? '') + (called.arguments ?? '')
    const isKept = mayBeNone(text)
    slots.set(index, isKept ? text : undefined)
    return [{ ...piece, function: { ...called, arguments: isKept ? '' : text } }]
  }

  /** What is left to say of the calls of a choice that ends. */
  #endOf({ index, finish_reason: reason }: Choice): readonly Choice[] {
    const slots = this.#kept.get(index)
    if (reason === null || slots === undefined) return []
    this.#kept.delete(index)
    const rest = [...slots].flatMap(([slot, kept]) => {
      const text = kept === undefined ? '' : restOf(kept, reason)
      return text === '' ? [] : [{ index: slot, function: { arguments: text } }]
    })
    if (rest.length === 0) return []
    return [{ index, delta: { tool_calls: rest }, finish_reason: null, logprobs: null }]
  }
}

/** What a limit cut off before its arguments began is no call without arguments. */
function restOf(kept: string, reason: FinishReason): string {
  return reason === 'length' && kept.trim() !== 'null' ? kept : argumentsText(kept)
}

function concernsCalls(step: Step<ChatChunk>): boolean {
  if (!('event' in step)) return false
  return step.event.choices.some(
    ({ delta, finish_reason: reason }) => delta.tool_calls !== undefined || reason !== null,
  )
}
