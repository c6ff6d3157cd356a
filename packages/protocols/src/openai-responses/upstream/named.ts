import { listOf, objectOf, someText } from '@sluice/contract'
import type { NamedId } from '../../protocol.ts'

/** Files of a translated request; one in this format names much more, and is asked about when it comes. */
export function namedInInput(body: unknown): readonly NamedId[] {
  return listOf(objectOf(body)['input']).flatMap((item, index) =>
    listOf(objectOf(item)['content']).flatMap((part, place) => {
      const id = someText(objectOf(part)['file_id'])
      return id === undefined ? [] : [{ id, param: `input[${index}].content[${place}].file_id` }]
    }),
  )
}
