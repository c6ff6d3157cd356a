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
