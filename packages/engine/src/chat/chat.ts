import { type ChatRequest, formatJson } from '@sluice/contract'
import type { Operation, OperationContext } from '../engine.ts'
import { type Composed, type ComposeInput, composeChat, type SentInput } from './compose.ts'
import type { Draft } from './draft.ts'
import { createOpenPart } from './media/open-part.ts'
import { createPause } from './pause.ts'
import { assertMayFit, openMedia } from './read-request.ts'
import { createEnvelope, createReply, type SpokenDraft, streamReply, usageOf } from './reply.ts'
import { assertShallow, isLarge, isMedium, messageText, wantsMuch } from './request-size.ts'
import { type SpeechWish, speakAnswer, speechWishOf } from './spoken.ts'

/** Time limit for a large request in a worker, in milliseconds. */
const workMs = 20_000

/**
 * Chat completions by classical algorithms: what to say or which tools to call is computed from the conversation, and one of
 * several wordings is sampled as the request asks. Prompts may have 128,000 tokens, responses 16,384. Large requests, and
 * those with schemas that may need a large response, are computed in a worker. Throws invalid_request with the path of an
 * image, audio, video or file that cannot be read, or of a schema that allows nothing or is nested too deeply;
 * context_length_exceeded; overloaded; and unsupported_value for audio formats that it cannot make.
 */
export const chat: Operation<'chat'> = async (request, context) => {
  assertShallow(request)
  const speech = speechWishOf(request)
  const media = await openMedia(request.messages, createOpenPart(context))
  const { drafts, input } = await compose(
    {
      request: withoutMedia(request),
      media,
      now: context.now(),
      seed: request.seed ?? Math.floor(context.random() * 2 ** 31),
    },
    context,
  )
  const choices = await spokenDrafts(drafts, speech, context)
  const usage = usageOf(input, choices)
  const envelope = createEnvelope('chatcmpl-', context)
  if (request.stream !== true)
    return { kind: 'reply', reply: createReply(envelope, request, choices, usage), usage }
  const pause = createPause(context.signal)
  return { kind: 'events', events: streamReply({ envelope, request, choices, usage, pause }) }
}

/** Computes fast requests here and others in a worker, so that they do not block other requests. */
async function compose(input: ComposeInput, context: OperationContext): Promise<Composed> {
  const { messages, tools, response_format: format } = input.request
  assertMayFit(messages, 'messages')
  const composed =
    isLarge(input) || wantsMuch([tools, format]) || mayPromptMuch(input.request)
      ? await context.workers.run('composeSentChat', sent(input), {
          timeoutMs: workMs,
          param: 'messages',
        })
      : await composeChat(input)
  const drafts = composed.drafts.map((draft) => ({
    ...draft,
    calls: draft.calls.map((call) => ({ ...call, id: context.newId('call_') })),
  }))
  return { ...composed, drafts }
}

/** Whether a prompt may contain a schema that requires much more than its own size. */
function mayPromptMuch({ messages }: ChatRequest): boolean {
  return messages.some((message) => {
    const text = messageText(message)
    return text.includes('$ref') || /min(?:Items|Length|Properties|Contains)['"]?\s*:/.test(text)
  })
}

/** The request is sent as text, because a number with all of its digits cannot be cloned. */
function sent({ request, ...rest }: ComposeInput): SentInput {
  return { ...rest, request: formatJson(request) }
}

/** Parts that were opened are not sent to a worker again. */
function withoutMedia(request: ChatRequest): ChatRequest {
  const messages = request.messages.map((message) =>
    Array.isArray(message.content)
      ? { ...message, content: message.content.filter((part) => !isMedium(part)) }
      : message,
  )
  return { ...request, messages }
}

/** Choices with the same text are spoken only once. */
async function spokenDrafts(
  drafts: readonly Draft[],
  speech: SpeechWish | undefined,
  context: OperationContext,
): Promise<SpokenDraft[]> {
  const said = new Map<string, SpokenDraft['spoken']>()
  const choices: SpokenDraft[] = []
  for (const draft of drafts) {
    const text = (draft.content ?? []).map((chosen) => chosen.token).join('')
    if (speech === undefined || text.trim() === '') {
      choices.push({ draft, spoken: undefined })
      continue
    }
    const spoken = said.get(text) ?? (await speakAnswer(text, speech, context))
    said.set(text, spoken)
    choices.push({ draft, spoken: { ...spoken, id: context.newId('audio_') } })
  }
  return choices
}
