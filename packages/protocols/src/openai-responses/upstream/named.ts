import { type Fields, listOf, objectOf, someText } from '@sluice/contract'
import type { NamedId } from '../../protocol.ts'

/** Files and tools of a translated request. A request in this format can name much more, which is checked when it arrives. */
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

/** Containers, skills, vector stores and files that one of OpenAI's tools uses. */
export function namedInTool(tool: Fields, path: string): readonly NamedId[] {
  const { container, vector_store_ids: stores, file_ids: files } = tool
  const lists: readonly (readonly [string, unknown])[] = [
    ['vector_store_ids', stores],
    ['file_ids', files],
  ]
  return [
    ...named(container, `${path}.container`),
    ...named(objectOf(tool['input_image_mask'])['file_id'], `${path}.input_image_mask`),
    ...lists.flatMap(([name, ids]) => namedInList(ids, `${path}.${name}`)),
    ...namedInPlace(objectOf(container), `${path}.container`),
    ...namedInPlace(objectOf(tool['environment']), `${path}.environment`),
  ]
}

/** Where a tool runs: the container of the code interpreter, or the environment of the shell. */
function namedInPlace(place: Fields, path: string): readonly NamedId[] {
  const skills = listOf(place['skills']).flatMap((skill, index) => {
    const id = someText(objectOf(skill)['skill_id'])
    return id?.startsWith(ownSkill) ? named(id, `${path}.skills[${index}].skill_id`) : []
  })
  return [
    ...named(place['id'], `${path}.id`),
    ...named(place['container_id'], `${path}.container_id`),
    ...namedInList(place['file_ids'], `${path}.file_ids`),
    ...skills,
  ]
}

/**
 * Prefix of the ids of uploaded skills. OpenAI's own skills have names, such as openai-spreadsheets (OpenAI API, containers).
 */
const ownSkill = 'skill_'

function namedInList(ids: unknown, path: string): readonly NamedId[] {
  return listOf(ids).flatMap((id, index) => named(id, `${path}[${index}]`))
}

function named(id: unknown, param: string): readonly NamedId[] {
  const text = someText(id)
  return text === undefined ? [] : [{ id: text, param }]
}
