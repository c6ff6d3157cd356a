import { hash } from 'node:crypto'
import { type Fields, isObject, listOf, objectOf, someText } from '@sluice/contract'
import type { NamedId } from '../../protocol.ts'

/** Files and tools of a translated request. A request in this format can name much more, which is checked when it arrives. */
export function namedInInput(body: unknown): readonly NamedId[] {
  const { input, tools } = objectOf(body)
  const files = listOf(input).flatMap((item, index) =>
    listOf(objectOf(item)['content']).flatMap((part, place) =>
      named(objectOf(part)['file_id'], `input[${index}].content[${place}].file_id`),
    ),
  )
  return [...files, ...toolsIn(tools, 'tools')]
}

/**
 * Everything that a caller's request names, each with whether the id alone suffices. An item that is sent in full may be stored
 * under its id as well.
 */
export function namedInResponsesRequest(
  request: unknown,
): readonly (NamedId & { readonly isReference: boolean })[] {
  const { conversation, prompt, tools, input } = objectOf(request)
  const { id, variables } = objectOf(prompt)
  const items = listOf(input).map((item, index) => ({ item, path: `input[${index}]` }))
  return [
    ...referred([
      ...named(isObject(conversation) ? conversation['id'] : conversation, 'conversation'),
      ...named(id, 'prompt.id'),
      ...Object.entries(objectOf(variables)).flatMap(([name, value]) =>
        filesIn(value, `prompt.variables.${name}`),
      ),
      ...toolsIn(tools, 'tools'),
    ]),
    ...items.flatMap(({ item, path }) => namedInItem(objectOf(item), path)),
  ]
}

function referred<T extends NamedId>(ids: readonly T[]) {
  return ids.map((one) => ({ ...one, isReference: true }))
}

function namedInItem(item: Fields, path: string) {
  const { id, type, container_id: container, environment } = item
  const { container_id: inner } = objectOf(environment)
  return [
    ...(isShort(item)
      ? named(id, `${path}.id`).map((one) => ({ ...one, isReference: type !== 'reasoning' }))
      : []),
    // The container of an earlier tool call, which a tool with on-demand containers reuses.
    ...[
      ...named(container, `${path}.container_id`),
      ...named(inner, `${path}.environment.container_id`),
    ].map((one) => ({ ...one, isReference: false })),
    ...referred([
      ...toolsIn(item['tools'], `${path}.tools`),
      ...filesIn(item['content'], `${path}.content`),
      ...filesIn(item['output'], `${path}.output`),
    ]),
  ]
}

/** Whether an item is little more than its id, so that the upstream looks up the rest. */
function isShort({ type, role, result, ...rest }: Fields): boolean {
  switch (type) {
    case 'item_reference':
      return true
    case 'image_generation_call':
      return result === undefined || result === null
    case 'reasoning':
      return rest['encrypted_content'] == null && listOf(rest['content']).length === 0
    case undefined:
    case null:
      return role === undefined
    default:
      return false
  }
}

/** File ids in the parts of a message, a tool output or a prompt variable. */
function filesIn(parts: unknown, path: string): readonly NamedId[] {
  if (isObject(parts)) return named(parts['file_id'], `${path}.file_id`)
  return listOf(parts).flatMap((part, index) =>
    named(objectOf(part)['file_id'], `${path}[${index}].file_id`),
  )
}

function toolsIn(tools: unknown, path: string): readonly NamedId[] {
  return listOf(tools).flatMap((tool, index) => namedInTool(objectOf(tool), `${path}[${index}]`))
}

/**
 * The ids that the upstream knows after it has created a response: the response, its items, and the containers and files of its
 * tools.
 */
export function madeByResponse(id: string, output: readonly unknown[]): readonly string[] {
  const found = output.flatMap((item) => {
    const { id: itemId, container_id: container, environment, content } = objectOf(item)
    const files = listOf(content).flatMap((part) =>
      listOf(objectOf(part)['annotations']).flatMap((note) =>
        objectOf(note)['type'] === 'container_file_citation'
          ? [objectOf(note)['file_id'], objectOf(note)['container_id']]
          : [],
      ),
    )
    return [itemId, container, objectOf(environment)['container_id'], ...files]
  })
  return [id, ...found.flatMap((one) => someText(one) ?? [])]
}

/**
 * A name for each item of a list whose content only the account that made it can read, such as encrypted reasoning, which a caller
 * sends back without the upstream having kept it.
 */
export function sealedIn(items: unknown): readonly string[] {
  return listOf(items).flatMap((item) => {
    const sealed = someText(objectOf(item)['encrypted_content'])
    return sealed === undefined ? [] : [`sealed_${hash('sha256', sealed).slice(0, 32)}`]
  })
}

/** Containers, skills, vector stores and files that one of OpenAI's tools uses. */
function namedInTool(tool: Fields, path: string): readonly NamedId[] {
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
