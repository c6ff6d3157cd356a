import { type Fields, formatJson, isObject, listOf, objectOf, textOf } from '@sluice/contract'
import { argumentsText } from '../../call-arguments.ts'
import { readInput } from '../../server-tools.ts'
import { itemsOf } from './history.ts'
import type { InputItem, OutputItem, ResponsesRequest } from './schema.ts'

// A search for tools that are loaded when they are needed (OpenAI, Tool search). One that the caller runs, as codex does, is
// a function like any other to a model elsewhere, and what it has found is on offer from then on.

/** What a caller's search has loaded, and what was added on the way, with the paths of its tools. */
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

/** True for a search that the caller runs; one at OpenAI finds only what is in the request anyway. */
export function isCallersSearch({ type, execution }: Fields): boolean {
  return type === 'tool_search' && execution === 'client'
}

/** The search as a function. */
export function searchFunction(tool: Fields): Fields {
  return { ...tool, type: 'function' }
}

/** The item of a call of the search, where the model has called the function in its place. */
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

/** What a search has found, by the names under which the model can call it. */
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
