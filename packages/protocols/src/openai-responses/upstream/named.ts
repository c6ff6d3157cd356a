import { type Fields, listOf, objectOf, someText } from '@sluice/contract'
import type { NamedId } from '../../protocol.ts'

/** Files and tools of a translated request; one in this format names much more, and is asked about when it comes. */
export function namedInInput(body: unknown): readonly NamedId[] {
  const { input, tools } = objectOf(body)
  const files = listOf(input).flatMap((item, index) =>
    listOf(objectOf(item)['content']).flatMap((part, place) =>
      named(objectOf(part)['file_id'], `input[${index}].content[${place}].file_id`),
    ),
  )
  const held = listOf(tools).flatMap((tool, index) =>
    namedInTool(objectOf(tool), `tools[${index}]`),
  )
  return [...files, ...held]
}

/** Containers, vector stores and files that a tool of OpenAI's works with. */
export function namedInTool(tool: Fields, path: string): readonly NamedId[] {
  const { container, vector_store_ids: stores, file_ids: files } = tool
  const lists: readonly (readonly [string, unknown])[] = [
    ['vector_store_ids', stores],
    ['file_ids', files],
    ['container.file_ids', objectOf(container)['file_ids']],
  ]
  return [
    ...named(container, `${path}.container`),
    ...named(objectOf(container)['id'], `${path}.container.id`),
    ...named(objectOf(tool['input_image_mask'])['file_id'], `${path}.input_image_mask`),
    ...lists.flatMap(([name, ids]) =>
      listOf(ids).flatMap((id, index) => named(id, `${path}.${name}[${index}]`)),
    ),
  ]
}

function named(id: unknown, param: string): readonly NamedId[] {
  const text = someText(id)
  return text === undefined ? [] : [{ id: text, param }]
}
