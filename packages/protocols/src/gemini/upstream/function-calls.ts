import {
  type Fields,
  formatJson,
  isObject,
  listOf,
  someText,
  type ToolCall,
} from '@sluice/contract'
import { withSignature } from '../../call-signature.ts'
import { GrownArguments, garbledCall } from './grown-arguments.ts'

interface OpenCall {
  readonly id: string
  readonly name: string
  readonly args: GrownArguments
  readonly signature: string | undefined
}

/** The function calls of one response, read part by part. */
export interface FunctionCalls {
  /**
   * The call that is complete with this part; none if more of it follows, or if it has no name, without which no result could
   * refer to it.
   */
  read(part: Fields): readonly ToolCall[]
  /** Whether a call is incomplete. */
  isOpen(): boolean
}

/**
 * Usually a part is a complete call. Vertex may stream a call (`streamFunctionCallArguments`): first its name, then pieces of
 * the arguments, each with its path, and last a part without `willContinue`.
 */
export function createFunctionCalls(newId: (prefix: string) => string): FunctionCalls {
  let open: OpenCall | undefined

  function begin(call: Fields, part: Fields): OpenCall | undefined {
    const name = someText(call['name'])
    if (name === undefined) return undefined
    // A call without an id in the response gets one, so that its result can refer to it.
    const id = someText(call['id']) ?? newId('call_')
    const args = new GrownArguments(isObject(call['args']) ? call['args'] : {})
    return { id, name, args, signature: someText(part['thoughtSignature']) }
  }

  return {
    isOpen: () => open !== undefined,
    read(part) {
      const call = part['functionCall']
      if (!isObject(call)) return []
      if (open !== undefined && someText(call['name']) !== undefined) throw garbledCall()
      const known = open ?? begin(call, part)
      if (known === undefined) return []
      for (const piece of listOf(call['partialArgs'])) if (isObject(piece)) known.args.add(piece)
      open = call['willContinue'] === true ? known : undefined
      return open === undefined ? [toolCall(known)] : []
    },
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
