import { countOf, isObject, listOf, objectOf, someText } from '@sluice/contract'
import type { ModelList } from '../../model-list.ts'

/** `GET /v1/models` with the largest page size (Models API reference). */
export const models: ModelList = {
  path: '/v1/models?limit=1000',
  decode: (body) =>
    listOf(objectOf(body)['data'])
      .filter(isObject)
      .flatMap((model) => {
        const id = someText(model['id'])
        if (id === undefined || model['lifecycle'] === 'retired') return []
        const input = countOf(model['max_input_tokens'])
        const output = countOf(model['max_tokens'])
        const name = someText(model['display_name'])
        return [
          {
            id,
            ...(input ? { inputTokenLimit: input } : {}),
            ...(output ? { outputTokenLimit: output } : {}),
            ...(name === undefined ? {} : { displayName: name }),
          },
        ]
      }),
}
