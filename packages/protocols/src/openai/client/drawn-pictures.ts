import type { ContentPart } from '@sluice/contract'
import { imagesOf } from '../upstream/chat-reply.ts'
import type { ChatCompletionMessage, ChatCompletionRequest } from './schema.ts'

type GivenMessage = ChatCompletionRequest['messages'][number]
type Picturing = Pick<GivenMessage, 'images' | 'role'>

/** A message of the conversation after images that a model made were added as messages. */
interface Shown {
  /** Its index in the request; for a message with images, the index of the message that contains them. */
  readonly given: number
  /** The images, if it is a message with images. */
  readonly drawn?: ContentPart[]
}

/**
 * Images that a model made are in the `images` of its messages (OpenRouter's form). Assistant messages of other providers
 * cannot contain images, so they are sent to the next model in a user message, after the message and the results of its calls.
 */
export function shownMessages(messages: readonly Picturing[]): readonly Shown[] {
  const shown: Shown[] = []
  let pictures: Shown | undefined
  const show = () => {
    if (pictures) shown.push(pictures)
    pictures = undefined
  }
  for (const [given, message] of messages.entries()) {
    if (message.role !== 'tool') show()
    shown.push({ given })
    const drawn = picturesOf(message)
    if (drawn.length > 0) pictures = { given, drawn }
  }
  show()
  return shown
}

function picturesOf({ role, images }: Picturing): ContentPart[] {
  return role === 'assistant' ? imagesOf(images ?? []) : []
}

/** The messages, with the messages that contain the images. */
export function withShownPictures<M extends Picturing>(
  messages: readonly M[],
): readonly (M | ChatCompletionMessage)[] {
  if (!messages.some((message) => 'images' in message)) return messages
  return shownMessages(messages).flatMap(({ given, drawn }): (M | ChatCompletionMessage)[] => {
    if (drawn) return [{ role: 'user', content: drawn }]
    const message = messages[given]
    return message === undefined ? [] : [withoutPictures(message)]
  })
}

/** A message without its images is still a message. If `images` contains no image it is kept, so that it is reported. */
function withoutPictures<M extends Picturing>(message: M): M {
  if (!('images' in message)) return message
  const { images, ...rest } = message
  const isPlain = (images?.length ?? 0) > 0 && picturesOf(message).length === 0
  return isPlain ? message : (rest as unknown as M)
}
