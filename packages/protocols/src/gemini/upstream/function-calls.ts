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
  readonly args: Fields
  readonly signature: string | undefined
}

/** The function calls of one answer, part after part. */
export interface FunctionCalls {
  /** The call that is whole with this part; none where it goes on, or where it has no name to be answered by. */
  read(part: Fields): readonly ToolCall[]
  /** True while a call goes on. */
  isOpen(): boolean
}

/**
 * Mostly a part is a whole call. Vertex may stream one (`streamFunctionCallArguments`): its name, then pieces of
 * arguments with the path each belongs to, and at last a part without `willContinue`.
 */
export function createFunctionCalls(newId: (prefix: string) => string): FunctionCalls {
  let open: OpenCall | undefined

  function begin(call: Fields, part: Fields): OpenCall | undefined {
    const name = someText(call['name'])
    if (name === undefined) return undefined
    // Without an id in the answer the call gets one, by which its result will find it again.
    const id = someText(call['id']) ?? newId('call_')
    const args = isObject(call['args']) ? call['args'] : {}
    return { id, name, args, signature: someText(part['thoughtSignature']) }
  }

  return {
    isOpen: () => open !== undefined,
    read(part) {
      const call = part['functionCall']
      if (!isObject(call)) return []
      if (open !== undefined && someText(call['name']) !== undefined) throw garbled()
      const known = open ?? begin(call, part)
      if (known === undefined) return []
      let { args } = known
      for (const piece of listOf(call['partialArgs']))
        if (isObject(piece)) args = withPiece(args, piece)
      const grown = { ...known, args }
      open = call['willContinue'] === true ? grown : undefined
      return open === undefined ? [toolCall(grown)] : []
    },
  }
}

function toolCall({ id, name, args, signature }: OpenCall): ToolCall {
  return {
    id,
    type: 'function',
    function: { name, arguments: formatJson(args) },
    ...(signature === undefined ? {} : withSignature(signature)),
  }
}

function garbled(): GatewayError {
  return new GatewayError(
    'upstream_garbled',
    'The upstream’s pieces of a tool call do not fit together',
  )
}

function withPiece(args: Fields, piece: Fields): Fields {
  const grown = withValue(args, pathOf(piece['jsonPath']), piece)
  if (!isObject(grown)) throw garbled()
  return grown
}

/** `$.a.b[0]` and `$['a']` as steps. */
function pathOf(path: unknown): readonly (string | number)[] {
  const text = someText(path) ?? ''
  const steps = [...text.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/g)]
  if (!text.startsWith('$') || steps.length === 0) throw garbled()
  return steps.map(([, name, index, single, double]) =>
    index === undefined ? (name ?? single ?? double ?? '') : Number(index),
  )
}

function withValue(value: unknown, path: readonly (string | number)[], piece: Fields): unknown {
  const [step, ...rest] = path
  if (step === undefined) return valueOf(value, piece)
  if (typeof step === 'string') {
    if (value !== undefined && !isObject(value)) throw garbled()
    const known = new Map(Object.entries(value ?? {}))
    known.set(step, withValue(known.get(step), rest, piece))
    return Object.fromEntries(known)
  }
  const list = value ?? []
  // Elements come in their order, so that no index makes a list longer than what was sent.
  if (!Array.isArray(list) || step > list.length) throw garbled()
  return replaced(list, step, withValue(list[step], rest, piece))
}

function replaced(list: readonly unknown[], at: number, value: unknown): readonly unknown[] {
  return [...list.slice(0, at), value, ...list.slice(at + 1)]
}

/** A text may come in several pieces. */
function valueOf(before: unknown, piece: Fields): unknown {
  const { stringValue: text, numberValue: number, boolValue: bool } = piece
  if (typeof text === 'string') return typeof before === 'string' ? before + text : text
  return number ?? bool ?? null
}
