import { countOf, isObject, listOf, someText } from '@sluice/contract'
import type { ModelList } from '../../protocol.ts'

/**
 * GET /models (OpenAI API, ListModelsResponse). Compatible upstreams add a context length under one of several names, and a
 * few respond with the bare list.
 */
export const models: ModelList = {
  path: '/models',
  decode(body) {
    const list = isObject(body) ? (body['data'] ?? body['models']) : body
    return listOf(list).flatMap((model) => {
      if (!isObject(model)) return []
      const id = someText(model['id']) ?? someText(model['name'])
      if (id === undefined) return []
      const input =
        countOf(model['context_length']) ??
        countOf(model['context_window']) ??
        countOf(model['max_context_length']) ??
        countOf(model['max_model_len'])
      const output = countOf(model['max_completion_tokens']) ?? countOf(model['max_output_tokens'])
      const displayName = someText(model['display_name']) ?? someText(model['name'])
      const description = someText(model['description'])
      return [
        {
          id,
          ...(input === undefined ? {} : { inputTokenLimit: input }),
          ...(output === undefined ? {} : { outputTokenLimit: output }),
          ...(displayName === undefined ? {} : { displayName }),
          ...(description === undefined ? {} : { description }),
        },
      ]
    })
  },
}
