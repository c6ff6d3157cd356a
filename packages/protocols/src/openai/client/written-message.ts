import type { AnswerMessage, ChatDelta, Fields, ToolCallDelta } from '@sluice/contract'
import { writtenState } from '../message-state.ts'

/**
 * The only place where messages and chunks of chat completions get the form that clients read. Fields that other programs
 * defined contain only what their definitions allow, because the types of some clients are closed: LiteLLM rejects a whole
 * response for one unknown value (litellm/types/utils.py, Message and Delta). What they cannot express is in fields of this
 * gateway's own: `file_citations`, `server_tool_calls`.
 */

/** The fields of a message or a delta that have another form in the canonical response. */
type MessageDetails = Pick<
  AnswerMessage,
  'annotations' | 'images' | 'text_places' | 'thinking_blocks'
> & {
  readonly tool_calls?: ChatDelta['tool_calls'] | AnswerMessage['tool_calls']
}

/** How much of a choice has been written. */
interface Written {
  images: number
  details: number
}

interface Whole {
  readonly choices: readonly { readonly message: MessageDetails }[]
}

export function writtenReply<R extends Whole>(reply: R): object {
  if (!reply.choices.some(({ message }) => differs(message))) return reply
  const choices = reply.choices.map((choice) => {
    return { ...choice, message: formOf(choice.message, { images: 0, details: 0 }) }
  })
  return { ...reply, choices }
}

interface Chunk {
  readonly choices: readonly { readonly index: number; readonly delta: MessageDetails }[]
}

/** Returns a function that gives the chunks of one stream their form. */
export function createChunkForm(): (chunk: Chunk) => object {
  const written = new Map<number, Written>()
  const writtenOf = (index: number): Written => {
    const known = written.get(index) ?? { images: 0, details: 0 }
    written.set(index, known)
    return known
  }
  return (chunk) => {
    if (!chunk.choices.some(({ delta }) => differs(delta))) return chunk
    const choices = chunk.choices.map((choice) => {
      return { ...choice, delta: formOf(choice.delta, writtenOf(choice.index)) }
    })
    return { ...chunk, choices }
  }
}

function differs(said: MessageDetails): boolean {
  return (
    said.thinking_blocks != null ||
    said.images !== undefined ||
    said.annotations !== undefined ||
    said.text_places !== undefined ||
    said.tool_calls?.some(isBare) === true
  )
}

function formOf(said: MessageDetails, written: Written): object {
  const { thinking_blocks: blocks, images, annotations, text_places: _, ...rest } = said
  const state = writtenState(blocks ?? [], written.details)
  written.details += state.reasoning_details?.length ?? 0
  return {
    ...rest,
    ...state,
    ...(rest.tool_calls === undefined ? {} : { tool_calls: rest.tool_calls.map(withFunction) }),
    ...citationsOf(annotations ?? []),
    ...(images === undefined
      ? {}
      : { images: images.map((image) => ({ index: written.images++, ...image })) }),
  }
}

/** OpenAI's annotations are citations of pages (ChatCompletionMessage.Annotation). All others have a field of their own. */
function citationsOf(annotations: readonly Fields[]): Fields {
  const pages = annotations.filter(isOfPage)
  const files = annotations.filter((annotation) => !isOfPage(annotation))
  return {
    ...(pages.length === 0 ? {} : { annotations: pages }),
    ...(files.length === 0 ? {} : { file_citations: files }),
  }
}

function isOfPage({ type }: Fields): boolean {
  return type === 'url_citation'
}

type Call = Partial<Pick<ToolCallDelta, 'custom' | 'function'>>

/** A piece that only adds a signature. LiteLLM requires a function in every piece. */
function isBare(call: Call): boolean {
  return call.function === undefined && call.custom === undefined
}

function withFunction(call: Call): Call {
  return isBare(call) ? { ...call, function: { arguments: '' } } : call
}
