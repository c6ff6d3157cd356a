import { listOf, objectOf, someText } from '@sluice/contract'
import type { NamedId } from '../../protocol.ts'

/** Uploaded files in the parts of messages, and spoken answers that a message refers to (OpenAI API, chat; files; audio). */
export function namedInChat(body: unknown): readonly NamedId[] {
  const named: NamedId[] = []
  for (const [place, message] of listOf(objectOf(body)['messages']).entries()) {
    const { content } = objectOf(message)
    const spoken = spokenIn(message)
    if (spoken !== undefined) named.push({ id: spoken, param: `messages[${place}].audio.id` })
    if (!Array.isArray(content)) continue
    for (const [part, { file }] of content.map(objectOf).entries()) {
      const id = someText(objectOf(file)['file_id'])
      if (id !== undefined)
        named.push({ id, param: `messages[${place}].content[${part}].file.file_id` })
    }
  }
  return named
}

/** The spoken answers of a chat completion, which OpenAI keeps for an hour. */
export function madeByChat(choices: readonly unknown[]): readonly string[] {
  return choices.flatMap((choice) => spokenIn(objectOf(choice)['message']) ?? [])
}

/** The id of the spoken answer in a message, or in a delta of a stream. */
export function spokenIn(message: unknown): string | undefined {
  const { audio } = objectOf(message)
  return audio == null ? undefined : someText(objectOf(audio)['id'])
}
