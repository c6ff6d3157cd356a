import type { ContentPart } from '@sluice/contract'
import { imagesOf } from '../upstream/chat-reply.ts'
import type { ChatCompletionMessage, ChatCompletionRequest } from './schema.ts'

type GivenMessage = ChatCompletionRequest['messages'][number]
type Picturing = Pick<GivenMessage, 'images' | 'role'>

/** A message of the conversation once drawn pictures are shown. */
interface Shown {
  /** Its place among those of the request; a message of pictures has that of the message which holds them. */
  readonly given: number
  /** Set where it is a message of pictures. */
  readonly drawn?: ContentPart[]
}

/**
 * Pictures that a model drew stand in its messages' `images` (OpenRouter's form). An assistant's messages hold none
 * elsewhere, so they are shown to the next model by the user: behind the message, and behind the results of its calls.
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

/** The messages with those that show drawn pictures. */
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

/** Without its pictures it is a message still. What is no picture stays, so that it is named. */
function withoutPictures<M extends Picturing>(message: M): M {
  if (!('images' in message)) return message
  const { images, ...rest } = message
  const isPlain = (images?.length ?? 0) > 0 && picturesOf(message).length === 0
  return isPlain ? message : (rest as unknown as M)
}
