import { type Fields, formatJson, listOf, objectOf, textOf } from '@sluice/contract'
import { mayBeNone } from '../../call-arguments.ts'
import { isNone, longestNone } from '../../openai/upstream/no-arguments.ts'

// As for chat completions: calls without arguments have `{}` in bodies that are sent unchanged otherwise.

/** A whole response with `{}` for arguments that are missing; undefined if there is nothing to correct. One that was cut may lack arguments that the model would have written. */
export function mendedResponse(body: Fields): Fields | undefined {
  const output = listOf(body['output'])
  if (body['status'] === 'incomplete' || !output.some(lacksArguments)) return undefined
  return { ...body, output: output.map(withArguments) }
}

export function lacksArguments(item: unknown): boolean {
  const { type, status, arguments: text } = objectOf(item)
  return type === 'function_call' && status !== 'incomplete' && isNone(text)
}

function withArguments(item: unknown): unknown {
  return lacksArguments(item) ? { ...objectOf(item), arguments: '{}' } : item
}

/** The calls of one stream whose arguments have not begun. */
export class StreamedArguments {
  /** By the index of the item: the arguments received so far. */
  readonly #received = new Map<unknown, string>()

  /** The event's data with `{}` for a call without arguments; undefined if it needs no change. */
  repair(type: string, data: Fields): string | undefined {
    const changed = this.#changed(type, data)
    return changed && formatJson({ ...data, ...changed })
  }

  /** Whether the arguments of all these items have begun, so that nothing more is held back. */
  haveBegun(indexes: readonly number[]): boolean {
    return indexes.every((index) => mayBeComplete(this.#received.get(index) ?? ''))
  }

  #changed(type: string, data: Fields): Fields | undefined {
    switch (type) {
      case 'response.function_call_arguments.delta':
        return this.#piece(data)
      case 'response.function_call_arguments.done':
        return isNone(data['arguments']) ? { arguments: '{}' } : undefined
      case 'response.output_item.done': {
        const { item } = data
        return lacksArguments(item) ? { item: withArguments(item) } : undefined
      }
      case 'response.completed':
      case 'response.done': {
        const response = mendedResponse(objectOf(data['response']))
        return response && { response }
      }
      default:
        return undefined
    }
  }

  /** Holds back a piece that may become `null`. */
  #piece({ output_index: index, delta }: Fields): Fields | undefined {
    const before = this.#received.get(index) ?? ''
    if (mayBeComplete(before)) return undefined
    const text = before + textOf(delta)
    this.#received.set(index, text)
    const released = mayBeComplete(text) ? text : ''
    return released === delta ? undefined : { delta: released }
  }
}

function mayBeComplete(text: string): boolean {
  return text.length >= longestNone || !mayBeNone(text)
}
