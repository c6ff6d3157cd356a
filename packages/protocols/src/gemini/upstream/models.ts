import { countOf, isObject, listOf, objectOf, someText } from '@sluice/contract'
import type { ModelList } from '../../model-list.ts'

/** GET /v1beta/models (https://ai.google.dev/api/models). 1,000 is the largest page size and more than the number of models. */
export const geminiModels: ModelList = {
  path: '/v1beta/models?pageSize=1000',
  decode: (body) =>
    listOf(objectOf(body)['models'])
      .filter(isObject)
      .flatMap((model) => {
        const name = someText(model['name'])
        if (name === undefined) return []
        const inputTokenLimit = countOf(model['inputTokenLimit'])
        const outputTokenLimit = countOf(model['outputTokenLimit'])
        const displayName = someText(model['displayName'])
        const description = someText(model['description'])
        return [
          {
            id: name.replace(/^models\//, ''),
            ...(inputTokenLimit === undefined ? {} : { inputTokenLimit }),
            ...(outputTokenLimit === undefined ? {} : { outputTokenLimit }),
            ...(displayName === undefined ? {} : { displayName }),
            ...(description === undefined ? {} : { description }),
          },
        ]
      }),
}
