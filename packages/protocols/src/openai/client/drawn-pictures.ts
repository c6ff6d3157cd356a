import type { ContentPart } from '@sluice/contract'
import { imagesOf } from '../upstream/chat-reply.ts'
import type { ChatCompletionMessage, ChatCompletionRequest } from './schema.ts'

type GivenMessage = ChatCompletionRequest['messages'][number]

/**
 * Pictures that a model drew stand in its messages' `images` (OpenRouter's form). An assistant's messages hold none
 * elsewhere, so they are shown to the next model by the user: behind the message, and behind the results of its calls.
 * `given` is each message's place among those of the request; a message of pictures has the place of their last.
 */
export function withShownPictures<M extends Pick<GivenMessage, 'images' | 'role'>>(
  messages: readonly M[],
): readonly { readonly message: M | ChatCompletionMessage; readonly given: number }[] {
  const shown: { message: M | ChatCompletionMessage; given: number }[] = []
  let drawn: ContentPart[] = []
  let from = 0
  const show = () => {
    if (drawn.length > 0) shown.push({ message: { role: 'user', content: drawn }, given: from })
    drawn = []
  }
  for (const [given, message] of messages.entries()) {
    if (message.role !== 'tool') show()
    const { images, ...rest } = message
    const pictures = message.role === 'assistant' ? imagesOf(images ?? []) : []
    // What is no picture stays, so that it is named.
    const isPlain = pictures.length === 0 && (images?.length ?? 0) > 0
    // Without its pictures it is a message still.
    shown.push({ message: isPlain ? message : (rest as unknown as M), given })
    if (pictures.length === 0) continue
    drawn = pictures
    from = given
  }
  show()
  return shown
}
