import {
  type ChatChunk,
  type ChatDelta,
  chatUsage,
  type Fields,
  type FinishReason,
  formatEvent,
  type GatewayError,
  keepAliveComment,
  noUsage,
  type Step,
  type Usage,
} from '@sluice/contract'
import type { FormatContext, StreamWriter } from '../../client-format.ts'
import { asksForCompaction, compactionItem, noSummary } from './compaction.ts'
import { itemIds } from './history.ts'
import { createFlatNames } from './offered-tools.ts'
import { outcomeOf, responseBase, usageOf, wantsLogprobs } from './reply.ts'
import type { OutputItem, ResponseObject, ResponsesRequest } from './schema.ts'
import type { PiecePlace, Teller } from './streamed-message.ts'
import { OutputItems, type StreamedOutput } from './streamed-output.ts'

/** The state of one stream being written. */
interface Writing {
  readonly request: ResponsesRequest
  readonly context: FormatContext
  readonly id: string
  readonly events: Events
  readonly output: StreamedOutput
  response: ResponseObject | undefined
  whole: ResponseObject | undefined
  usage: Usage
  reason: FinishReason
  tier: string | undefined
}

/** Writes the events of a response (OpenAI API, ResponseStreamEvent). There is no `[DONE]`. */
export function createChatWriter(
  request: ResponsesRequest,
  context: FormatContext,
): StreamWriter<'chat'> {
  const id = context.newId('resp_')
  const events = new Events()
  const teller: Teller = {
    itemId: itemIds(id),
    callId: () => context.newId('call_'),
    names: createFlatNames(request),
    request,
    logprobs: wantsLogprobs(request),
    tell: (type, fields) => events.tell(type, fields),
    tellPiece: (place, piece) => events.tellPiece(place, piece),
    leftOut: context.leftOut,
  }
  const output = asksForCompaction(request)
    ? createStreamedCompaction(teller)
    : new OutputItems(teller)
  const writing: Writing = {
    request,
    context,
    id,
    events,
    output,
    response: undefined,
    whole: undefined,
    usage: noUsage,
    reason: 'stop',
    tier: undefined,
  }
  return {
    contentType: 'text/event-stream; charset=utf-8',
    keepAlive: keepAliveComment,
    write: (step) => write(writing, step),
    end: () => end(writing),
    fail: (error) => fail(writing, error),
    later: () => events.later(),
    whole: () => writing.whole,
  }
}

/**
 * After so much text, in UTF-16 units, an event is written later: the final events of a response repeat all of it four times.
 */
const writtenAtOnceMax = 512 * 1024

const nothing: readonly (() => string)[] = []

/** The events of one response, numbered in order. */
class Events {
  #sequence = 0
  #text = ''
  #later: (() => string)[] = []

  tell(type: string, fields: object): void {
    const event = { type, sequence_number: this.#sequence++, ...fields }
    const format = () => formatEvent({ event: type, data: JSON.stringify(event) })
    if (this.#text.length > writtenAtOnceMax) this.#later.push(format)
    else this.#text += format()
  }

  /** A piece of a text: all of its event but the number and the piece is constant. */
  tellPiece({ before, between, after }: PiecePlace, piece: string): void {
    const number = this.#sequence++
    const format = () => before + number + between + JSON.stringify(piece) + after
    if (this.#text.length > writtenAtOnceMax) this.#later.push(format)
    else this.#text += format()
  }

  /** The events since the last call as wire text, except those that are written later. */
  take(): string {
    const taken = this.#text
    this.#text = ''
    return taken
  }

  /** The events that follow this text. */
  later(): readonly (() => string)[] {
    if (this.#later.length === 0) return nothing
    const taken = this.#later
    this.#later = []
    return taken
  }
}

function write(writing: Writing, step: Step<ChatChunk>): string {
  if ('usage' in step) {
    writing.usage = step.usage
    return ''
  }
  begin(writing, step.event.model)
  writing.tier = step.event.service_tier ?? writing.tier
  for (const choice of step.event.choices) {
    if (choice.index !== 0) continue
    writing.output.add(choice.delta, choice.logprobs ?? null)
    writing.reason = choice.finish_reason ?? writing.reason
  }
  return writing.events.take()
}

function end(writing: Writing): string {
  const started = begin(writing, writing.request.model)
  const outcome = outcomeOf(writing.reason, seconds(writing))
  writing.output.close(writing.reason === 'length' ? 'incomplete' : 'completed')
  if (asksForCompaction(writing.request) && writing.output.items().length === 0)
    return fail(writing, noSummary())
  const response: ResponseObject = {
    ...started,
    ...outcome,
    service_tier: writing.tier ?? started.service_tier,
    output: [...writing.output.items()],
    usage: usageOf(chatUsage(writing.usage)),
  }
  writing.whole = response
  writing.events.tell(`response.${outcome.status}`, { response })
  return writing.events.take()
}

function fail(writing: Writing, error: GatewayError): string {
  const started = begin(writing, writing.request.model)
  // The API's own error codes if the error has none (ResponseErrorCode).
  const code = error.publicCode ?? (error.blame === 'caller' ? 'invalid_prompt' : 'server_error')
  const response: ResponseObject = {
    ...started,
    status: 'failed',
    error: { code, message: error.message },
    output: [...writing.output.items()],
  }
  writing.events.tell('response.failed', { response })
  return writing.events.take()
}

/** The response as it was when it began. The first call sends the events that announce it. */
function begin(writing: Writing, model: string): ResponseObject {
  if (writing.response !== undefined) return writing.response
  const base = { id: writing.id, model, created: seconds(writing) }
  const response = responseBase(writing.request, base)
  writing.response = response
  writing.events.tell('response.created', { response })
  writing.events.tell('response.in_progress', { response })
  return response
}

function seconds(writing: Writing): number {
  return Math.floor(writing.context.now() / 1000)
}

/** The output of a streamed response that is a compaction. It is sent as a whole, because nobody can read a part of it. */
function createStreamedCompaction(teller: Teller): StreamedOutput {
  const items: OutputItem[] = []
  let summary = ''
  return {
    items: () => items,
    add({ content }: ChatDelta) {
      summary += content ?? ''
    },
    close() {
      if (summary.trim() === '') return
      const item = compactionItem(summary.trim(), teller.itemId('cmp_'))
      const tell = (type: string, fields: Fields) =>
        teller.tell(`response.output_item.${type}`, { output_index: 0, item: fields })
      tell('added', { id: item.id, type: item.type })
      tell('done', item)
      items.push(item)
    },
  }
}
