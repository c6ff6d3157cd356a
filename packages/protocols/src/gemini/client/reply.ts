import { type ChatReply, noUsage } from '@sluice/contract'
import { nameUnread } from '../../citations.ts'
import type { FormatContext } from '../../client-format.ts'
import { callsAndTexts, placedTexts } from '../../text-places.ts'
import { readUsage } from '../../usage.ts'
import type { Part } from '../generate-content.ts'
import { groundingMetadata } from '../grounding.ts'
import { serverMetadata, serverParts } from '../server-tools.ts'
import { formatUsage } from '../usage.ts'
import { wantsThoughts } from './config.ts'
import { wantsEnum, withBareValues } from './enum-answer.ts'
import {
  type ClosingParts,
  closingParts,
  finishFields,
  imageParts,
  logprobsResult,
  soundPart,
} from './parts.ts'

type Choice = ChatReply['choices'][number]
type Reports = Pick<FormatContext, 'leftOut'>

/** A chat completion as GenerateContentResponse. */
export function contentReply(
  reply: ChatReply,
  request: unknown,
  reports: Reports,
): Record<string, unknown> {
  const thoughts = wantsThoughts(request)
  const { choices } = wantsEnum(request) ? withBareValues(reply) : reply
  return {
    candidates: choices.map((choice) => candidateOf(choice, thoughts, reports)),
    usageMetadata: formatUsage(readUsage(reply.usage) ?? noUsage),
    modelVersion: reply.model,
    responseId: reply.id,
  }
}

function candidateOf(choice: Choice, thoughts: boolean, reports: Reports): Record<string, unknown> {
  const { message, finish_reason: reason } = choice
  const text = (message.content ?? '') + (message.refusal ?? '')
  const closing = closingParts(message.tool_calls ?? [], message.thinking_blocks ?? [])
  const logprobs = logprobsResult(choice.logprobs)
  const { annotations = [], server_tool_calls: serverCalls = [] } = message
  nameUnread(annotations, reports)
  return {
    content: { role: 'model', parts: partsOf(message, closing, thoughts) },
    ...finishFields(reason, closing.malformed),
    index: choice.index,
    ...(logprobs === undefined ? {} : { logprobsResult: logprobs }),
    ...serverMetadata(serverCalls, groundingMetadata(annotations, text), reports),
  }
}

function partsOf(
  message: Choice['message'],
  closing: ClosingParts,
  thoughts: boolean,
): readonly Part[] {
  const { earlier, textSignature: signature, calls } = closing
  const reasoning = thoughts ? (message.reasoning_content ?? '') : ''
  const media = [
    ...imageParts(message.images),
    ...(message.audio == null ? [] : [soundPart(message.audio.data)]),
  ]
  const texts = placedTexts(message)
  const [first] = texts
  const text = (first?.calls === 0 ? first.text : '') + (message.refusal ?? '')
  const isSaid = text !== '' || signature !== undefined || media.length + calls.length === 0
  return [
    ...(reasoning === '' ? [] : [{ text: reasoning, thought: true }]),
    ...earlier,
    ...serverParts(message.server_tool_calls ?? []),
    ...(isSaid
      ? [{ text, ...(signature === undefined ? {} : { thoughtSignature: signature }) }]
      : []),
    ...media,
    ...callsAndTexts(
      calls.map((call) => [call]),
      texts,
      (later) => [{ text: later.text }],
    ).flat(),
  ]
}
