import { type Fields, isObject, listOf } from '@sluice/contract'

const media: ReadonlySet<unknown> = new Set(['image_url', 'input_audio', 'file', 'video_url'])

/** Whether a message has what OpenAI takes from users alone. */
export function hasUsersMedia(message: Fields): boolean {
  return message['role'] !== 'user' && mediaOf(message).length > 0
}

function mediaOf({ content }: Fields): readonly unknown[] {
  return listOf(content).filter((part) => isObject(part) && media.has(part['type']))
}

/**
 * OpenAI takes pictures and files from users alone ("Image URLs are only allowed for messages with role 'user', but this message with
 * role 'tool' contains an image URL": OpenHands/OpenHands#7700). Those of other messages follow in a user message, after the results
 * of all calls.
 */
export function withUsersMedia(messages: readonly Fields[]): readonly Fields[] {
  if (!messages.some(hasUsersMedia)) return messages
  const sent: Fields[] = []
  let held: unknown[] = []
  const show = () => {
    if (held.length > 0) sent.push({ role: 'user', content: held })
    held = []
  }
  for (const message of messages) {
    if (message['role'] !== 'tool') show()
    if (!hasUsersMedia(message)) sent.push(message)
    else {
      const shown = mediaOf(message)
      const said = listOf(message['content']).filter((part) => !shown.includes(part))
      sent.push({ ...message, content: said.length === 0 ? '' : said })
      held.push(...shown)
    }
  }
  show()
  return sent
}
