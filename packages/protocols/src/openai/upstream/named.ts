import { listOf, objectOf, someText } from '@sluice/contract'
import type { NamedId } from '../../protocol.ts'

/** Files that were uploaded, in the parts of messages (OpenAI API, chat; files). */
export function namedInChat(body: unknown): readonly NamedId[] {
  const named: NamedId[] = []
  for (const [place, message] of listOf(objectOf(body)['messages']).entries()) {
    const { content } = objectOf(message)
    if (!Array.isArray(content)) continue
    for (const [part, { file }] of content.map(objectOf).entries()) {
      const id = someText(objectOf(file)['file_id'])
      if (id !== undefined)
        named.push({ id, param: `messages[${place}].content[${part}].file.file_id` })
    }
  }
  return named
}
