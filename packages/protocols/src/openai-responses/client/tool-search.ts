import { type Fields, formatJson, isObject, listOf, objectOf, textOf } from '@sluice/contract'
import { argumentsText } from '../../call-arguments.ts'
import { readInput } from '../../server-tools.ts'
import { itemsOf } from './history.ts'
import type { InputItem, OutputItem, ResponsesRequest } from './schema.ts'

// A search for tools that are loaded on demand (OpenAI, Tool search). For a model of another provider, one that the caller
// runs, as Codex does, is a function like any other, and the tools that it finds are offered from then on.

/** The tools that a caller's search loaded or that the input added later, with their paths. */
export function loadedTools(
  request: Pick<ResponsesRequest, 'input'>,
): readonly { readonly tool: Fields; readonly path: string }[] {
  return itemsOf(request).flatMap(({ type, tools }, index) =>
    type === 'tool_search_output' || type === 'additional_tools'
      ? listOf(tools)
          .filter(isObject)
          .map((tool, place) => ({ tool, path: `input[${index}].tools[${place}]` }))
      : [],
  )
}

/** Whether the caller runs the search. A search that OpenAI runs only finds tools that are in the request anyway. */
export function isCallersSearch({ type, execution }: Fields): boolean {
  return type === 'tool_search' && execution === 'client'
}

/** The search as a function. */
export function searchFunction(tool: Fields): Fields {
  return { ...tool, type: 'function' }
}

/** The item for a call of the search, after the model called the function that represents it. */
export function searchItem({ id, call_id: callId, status, ...item }: OutputItem): OutputItem {
  return {
    id,
    type: 'tool_search_call',
    call_id: callId,
    status: textOf(status) || 'completed',
    execution: 'client',
    arguments: readInput(argumentsText(textOf(item['arguments']))),
  }
}

/** The result of a search: the names under which the model can call the tools that were found. */
export function foundText(
  { tools }: InputItem,
  flat: (name: string, namespace?: string) => string,
): string {
  const names = listOf(tools)
    .map(objectOf)
    .flatMap((tool) => {
      const namespace = textOf(tool['name'])
      if (tool['type'] !== 'namespace') return [namespace]
      return listOf(tool['tools']).map((inner) => flat(textOf(objectOf(inner)['name']), namespace))
    })
  return formatJson({ loaded: names.filter((name) => name !== '') })
}
