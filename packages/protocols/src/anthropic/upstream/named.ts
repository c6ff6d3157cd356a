import { type Fields, isObject, listOf, objectOf, someText } from '@sluice/contract'
import type { NamedId } from '../../protocol.ts'

/** The containers, files and custom skills that a request references (Claude docs, code execution tool; Files API; skills). */
export function namedInMessages(body: unknown): readonly NamedId[] {
  const { container, messages } = objectOf(body)
  const named: NamedId[] = []
  const add = (id: unknown, param: string): void => {
    const text = someText(id)
    if (text !== undefined) named.push({ id: text, param })
  }
  if (container != null) {
    add(container, 'container')
    add(objectOf(container)['id'], 'container.id')
    for (const [index, skill] of listOf(objectOf(container)['skills']).map(objectOf).entries())
      if (skill['type'] === 'custom') add(skill['skill_id'], `container.skills[${index}].skill_id`)
  }
  for (const [index, message] of listOf(messages).entries())
    addFiles(objectOf(message)['content'], `messages[${index}].content`, add)
  return named
}

/** In images, documents and container uploads, also inside tool results. */
function addFiles(blocks: unknown, path: string, add: (id: unknown, param: string) => void): void {
  if (!Array.isArray(blocks)) return
  for (const [index, block] of blocks.entries()) {
    if (!isObject(block) || block['type'] === 'text') continue
    const at = `${path}[${index}]`
    add(block['file_id'], `${at}.file_id`)
    add(objectOf(block['source'])['file_id'], `${at}.source.file_id`)
    addFiles(block['content'], `${at}.content`, add)
    addFiles(objectOf(block['source'])['content'], `${at}.source.content`, add)
  }
}

/** The container of a response and the files created in it. */
export function madeByMessage({ container, content }: Fields): readonly string[] {
  return [someText(objectOf(container)['id']), ...listOf(content).flatMap(filesOf)].flatMap(
    (id) => id ?? [],
  )
}

/** The files created by a code execution result. */
export function filesOf(block: unknown): readonly string[] {
  const { type, content } = objectOf(block)
  if (typeof type !== 'string' || !type.endsWith('code_execution_tool_result')) return []
  return listOf(objectOf(content)['content']).flatMap(
    (output) => someText(objectOf(output)['file_id']) ?? [],
  )
}
