import { listOf, objectOf, someText } from '@sluice/contract'
import type { NamedId } from '../../protocol.ts'

/** What the messages of a chat refer to. */
export function namedInChat(body: unknown): readonly NamedId[] {
  return listOf(objectOf(body)['messages']).flatMap((message, place) =>
    namedInMessage(message, `messages[${place}]`),
  )
}

/** Uploaded files in the parts of a message, and a spoken answer that it refers to (OpenAI API, chat; files; audio). */
export function namedInMessage(message: unknown, path: string): readonly NamedId[] {
  const named: NamedId[] = []
  const spoken = spokenIn(message)
  if (spoken !== undefined) named.push({ id: spoken, param: `${path}.audio.id` })
  for (const [place, part] of listOf(objectOf(message)['content']).entries()) {
    const id = someText(objectOf(objectOf(part)['file'])['file_id'])
    if (id !== undefined) named.push({ id, param: `${path}.content[${place}].file.file_id` })
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
