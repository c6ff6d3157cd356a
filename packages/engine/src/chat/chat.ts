import type { OperationContext, Operation } from '../operation.ts'
import { createDrafts, type Draft } from './draft.ts'
import { createPause } from './pause.ts'
import { createReply, type SpokenDraft, usageOf } from './reply.ts'
import { type SpeechWish, speakAnswer, speechWishOf } from './spoken.ts'
import { streamReply } from './stream.ts'
import { think } from './think.ts'

/**
 * Chat answered by classical algorithms: what to say or which tools to call is computed from the conversation, and
 * one of several ways to say it is drawn as the sampling fields ask. Prompts may have 128,000 tokens, answers 16,384.
 * Throws invalid_request with the path of a picture, sound, film or file that cannot be read or of a schema that
 * allows nothing, context_length_exceeded, and unsupported_value for sound formats it does not make.
 */
export const chat: Operation<'chat'> = async (request, context) => {
  const speech = speechWishOf(request)
  const thought = await think(request, context)
  const drafts = await createDrafts(request, thought, context)
  const choices = await spokenDrafts(drafts, speech, context)
  const usage = usageOf(thought.input, choices)
  const envelope = {
    id: context.newId('chatcmpl-'),
    created: Math.floor(context.now() / 1000),
    model: context.model,
  }
  if (request.stream !== true)
    return { kind: 'reply', reply: createReply(envelope, request, choices, usage), usage }
  const pause = createPause(context.signal)
  return { kind: 'events', events: streamReply({ envelope, request, choices, usage, pause }) }
}

/** Choices that say the same are spoken once. */
async function spokenDrafts(
  drafts: readonly Draft[],
  speech: SpeechWish | undefined,
  context: OperationContext,
): Promise<SpokenDraft[]> {
  if (speech === undefined) return drafts.map((draft) => ({ draft, spoken: undefined }))
  const said = new Map<string, SpokenDraft['spoken']>()
  const choices: SpokenDraft[] = []
  for (const draft of drafts) {
    const text = (draft.content ?? []).map((chosen) => chosen.token).join('')
    if (draft.content === null || text.trim() === '') {
      choices.push({ draft, spoken: undefined })
      continue
    }
    const spoken = said.get(text) ?? (await speakAnswer(text, speech, context))
    said.set(text, spoken)
    choices.push({ draft, spoken: { ...spoken, id: context.newId('audio_') } })
  }
  return choices
}
