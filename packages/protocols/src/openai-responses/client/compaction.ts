import {
  type AnswerMessage,
  GatewayError,
  invalidRequest,
  isObject,
  type Message,
  someText,
} from '@sluice/contract'
import { carry, restore } from '../../carried-reasoning.ts'
import type { Reports } from '../../native-target.ts'
import { itemsOf } from './history.ts'
import type { InputItem, OutputItem, ResponsesRequest } from './schema.ts'

/**
 * One item that replaces a conversation which has become too long (OpenAI API, compaction). It is requested with a
 * `compaction_trigger` as the last input item, or at `/responses/compact`. OpenAI encrypts its content; for other models it
 * holds a summary that the model is asked to write.
 */

const prompt = `The conversation above is about to be replaced by a summary, which you write now. It is for a model that goes on with the work and sees, besides your summary, at most the user's own messages. Call no tools and do not go on with the work itself. Write down:
- what the user wants, with every requirement, preference and limit that was stated;
- what was done so far and what it brought: names, paths, identifiers, values, commands, exact error messages;
- what was decided, and why;
- what is still to be done, and the next step.
An earlier summary is replaced as well: take over what still matters. Answer with the summary alone.`

const preface =
  'The earlier part of this conversation was replaced by this summary, which a model wrote of it:'

const trigger = 'compaction_trigger'

/** Whether the request asks for a compaction. Throws if an item follows the trigger. */
export function asksForCompaction(request: Pick<ResponsesRequest, 'input'>): boolean {
  const items = itemsOf(request)
  const at = items.findIndex(({ type }) => type === trigger)
  if (at >= 0 && at < items.length - 1)
    throw invalidRequest(
      "The 'compaction_trigger' item must be the final input item.",
      `input[${at}]`,
    )
  return at >= 0
}

/** The request for a compaction of the same conversation. */
export function withTrigger(request: ResponsesRequest): ResponsesRequest {
  return { ...request, input: [...itemsOf(request), { type: trigger }] }
}

/** The message that the model gets instead of the trigger. */
export const summaryRequest: Message = { role: 'user', content: prompt }

export function compactionItem(summary: string, id: string): OutputItem {
  return { id, type: 'compaction', encrypted_content: carry({ kind: 'compaction', summary }) }
}

/** The summary in a compaction item, as a message for the model; undefined if only OpenAI can read the item. */
export function compactedMessage(
  { encrypted_content: encrypted }: InputItem,
  path: string,
  { unsupported }: Pick<Reports, 'unsupported'>,
): Message | undefined {
  const carried = restore(encrypted ?? '')
  const summary = isObject(carried) && carried['kind'] === 'compaction' && carried['summary']
  if (typeof summary === 'string') return { role: 'user', content: `${preface}\n\n${summary}` }
  unsupported(
    `${path}.encrypted_content`,
    'This compaction was made by another provider, which alone can read it',
  )
  return undefined
}

/** Throws `upstream_garbled` if the model wrote no summary. */
export function summaryIn({ content }: Pick<AnswerMessage, 'content'>): string {
  const summary = someText(content?.trim())
  if (summary === undefined) throw noSummary()
  return summary
}

export function noSummary(): GatewayError {
  return new GatewayError('upstream_garbled', 'The model wrote no summary of the conversation')
}
