import {
  type Fields,
  formatJson,
  GatewayError,
  isObject,
  listOf,
  someText,
  type ToolCall,
} from '@sluice/contract'
import { withSignature } from '../../call-signature.ts'

interface OpenCall {
  readonly id: string
  readonly name: string
  readonly args: GrownArguments
  readonly signature: string | undefined
}

/**
 * The function calls of one response, read part by part. Usually a part is a complete call. Vertex may stream a call
 * (`streamFunctionCallArguments`): first its name, then pieces of the arguments, each with its path, and last a part without
 * `willContinue`.
 */
export class FunctionCalls {
  readonly #newId: (prefix: string) => string
  #open: OpenCall | undefined

  constructor(newId: (prefix: string) => string) {
    this.#newId = newId
  }

  /** Whether a call is incomplete. */
  isOpen(): boolean {
    return this.#open !== undefined
  }

  /**
   * The call that is complete with this part; none if more of it follows, or if it has no name, without which no result could
   * refer to it.
   */
  read(part: Fields): readonly ToolCall[] {
    const call = part['functionCall']
    if (!isObject(call)) return []
    if (this.#open !== undefined && someText(call['name']) !== undefined) throw garbledCall()
    const known = this.#open ?? this.#begin(call, part)
    if (known === undefined) return []
    for (const piece of listOf(call['partialArgs'])) if (isObject(piece)) known.args.add(piece)
    this.#open = call['willContinue'] === true ? known : undefined
    return this.#open === undefined ? [toolCall(known)] : []
  }

  #begin(call: Fields, part: Fields): OpenCall | undefined {
    const name = someText(call['name'])
    if (name === undefined) return undefined
    // A call without an id in the response gets one, so that its result can refer to it.
    const id = someText(call['id']) ?? this.#newId('call_')
    const args = new GrownArguments(isObject(call['args']) ? call['args'] : {})
    return { id, name, args, signature: someText(part['thoughtSignature']) }
  }
}

function toolCall({ id, name, args, signature }: OpenCall): ToolCall {
  return {
    id,
    type: 'function',
    function: { name, arguments: formatJson(args.whole()) },
    ...(signature === undefined ? {} : withSignature(signature)),
  }
}

type Step = string | number

/** An object or a list that pieces are added to. */
class Grown {
  readonly isList: boolean
  readonly items: Map<Step, unknown>

  constructor(value: unknown) {
    if (!Array.isArray(value) && !isObject(value)) throw garbledCall()
    this.isList = Array.isArray(value)
    this.items = new Map<Step, unknown>(
      Array.isArray(value) ? value.entries() : Object.entries(value),
    )
  }
}

/** Maximum steps of a path; no meaningful path has more. */
const stepsMax = 256

/**
 * Arguments of a call that arrive in pieces, each with its path (Vertex AI, PartialArg). Adding a piece takes time in
 * proportion to the steps of its path.
 */
class GrownArguments {
  readonly #root: Grown

  constructor(args: Fields) {
    this.#root = new Grown(args)
  }

  /** Throws `upstream_garbled` if the piece does not fit. */
  add(piece: Fields): void {
    const path = pathOf(piece['jsonPath'])
    const [last = ''] = path.splice(-1)
    let holder = this.#root
    for (const [index, step] of path.entries()) {
      const before = itemAt(holder, step)
      const next =
        before instanceof Grown ? before : new Grown(before ?? emptyFor(path[index + 1] ?? last))
      holder.items.set(step, next)
      holder = next
    }
    holder.items.set(last, valueOf(itemAt(holder, last), piece))
  }

  whole(): unknown {
    return plain(this.#root)
  }
}

function garbledCall(): GatewayError {
  return new GatewayError(
    'upstream_garbled',
    'The upstream’s pieces of a tool call are inconsistent',
  )
}

function emptyFor(step: Step): unknown {
  return typeof step === 'number' ? [] : {}
}

function plain(value: unknown): unknown {
  if (!(value instanceof Grown)) return value
  const items = [...value.items].map(([step, item]) => [step, plain(item)] as const)
  return value.isList ? items.map(([, item]) => item) : Object.fromEntries(items)
}

function itemAt({ isList, items }: Grown, step: Step): unknown {
  // Elements must arrive in order, so that an index cannot make a list longer than what was sent.
  if (isList ? typeof step !== 'number' || step > items.size : typeof step === 'number')
    throw garbledCall()
  return items.get(step)
}

/** `$.a.b[0]` and `$['a']` as steps. */
function pathOf(path: unknown): Step[] {
  const text = someText(path) ?? ''
  const steps = [...text.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/g)]
  if (!text.startsWith('$') || steps.length === 0 || steps.length > stepsMax) throw garbledCall()
  return steps.map(([, name, index, single, double]) =>
    index === undefined ? (name ?? single ?? double ?? '') : Number(index),
  )
}

/** A text may arrive in several pieces. */
function valueOf(before: unknown, piece: Fields): unknown {
  const { stringValue: text, numberValue: number, boolValue: bool } = piece
  if (typeof text === 'string') return typeof before === 'string' ? before + text : text
  return number ?? bool ?? null
}
