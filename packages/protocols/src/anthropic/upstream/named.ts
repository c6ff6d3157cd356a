import { type Fields, GatewayError, isObject, listOf, objectOf, someText } from '@sluice/contract'
import type { NamedId } from '../../protocol.ts'

/**
 * The containers, files, custom skills and threads that a request references (Claude docs, code execution tool; Files API;
 * skills; the SDK's BetaThreadContinueParams).
 */
export function namedInMessages(body: unknown): readonly NamedId[] {
  const { container, messages, thread } = objectOf(body)
  const named: NamedId[] = [...continuedIn(thread)]
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

function continuedIn(thread: unknown): readonly NamedId[] {
  const id = someText(objectOf(thread)['previous_message_id'])
  if (id === undefined) return []
  return [{ id, param: 'thread.previous_message_id', unknown: threadNotFound }]
}

/** On this error Anthropic's SDKs send the whole conversation again (their ThreadNotFoundErrorDetails). */
function threadNotFound(): GatewayError {
  return new GatewayError(
    'not_found',
    "'thread.previous_message_id' was not found: send the whole conversation to start a new thread",
    { param: 'thread.previous_message_id', readable: { error_code: 'thread_not_found' } },
  )
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

/** The message in response to a request with or without a thread, if a thread can be continued from it. */
export function continuable(isThread: boolean, { id }: Fields): readonly string[] {
  const text = isThread ? someText(id) : undefined
  return text === undefined ? [] : [text]
}

/** The files created by a code execution result. */
export function filesOf(block: unknown): readonly string[] {
  const { type, content } = objectOf(block)
  if (typeof type !== 'string' || !type.endsWith('code_execution_tool_result')) return []
  return listOf(objectOf(content)['content']).flatMap(
    (output) => someText(objectOf(output)['file_id']) ?? [],
  )
}
