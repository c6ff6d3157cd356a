import {
  type ChatChunk,
  type ChatDelta,
  type FinishReason,
  formatEvent,
  GatewayError,
  noUsage,
  type Step,
  type Usage,
} from '@sluice/contract'
import { pieceIn } from '../../chat-chunks.ts'
import { annotationsName, nameUnread } from '../../citations.ts'
import type { FormatContext, StreamWriter } from '../../client-format.ts'
import { stopReason } from '../finish-reasons.ts'
import { calledTools } from '../toolsets.ts'
import { formatMessageUsage, formatUsage } from '../usage.ts'
import { BlockWriter, writeEvent } from './block-writer.ts'
import { CallWriter } from './call-writer.ts'
import { errorBody } from './error.ts'
import { asksForThinking, messageId, refusalDetails, showsThinking } from './reply.ts'
import type { MessagesRequest } from './schema.ts'
import { serverToolBlocks } from './server-tools.ts'

type Head = Pick<ChatChunk, 'id' | 'model' | 'service_tier'>
type Context = Pick<FormatContext, 'leftOut' | 'newId' | 'requestId' | 'expectedInput'>

/**
 * Writes canonical chunks as the events of a streamed message: one message_start, consecutive blocks, and one message_delta at
 * the end with everything known by then, because usage comes last.
 */
export class MessageWriter implements StreamWriter<'chat'> {
  readonly contentType = 'text/event-stream; charset=utf-8'
  readonly keepAlive = writeEvent({ type: 'ping' })
  readonly #textShown: boolean
  /** Whether the caller asked for thinking. Otherwise words are written only before calls, and blocks only in their ids. */
  readonly #isAsked: boolean
  readonly #model: string
  readonly #context: Context
  readonly #blocks = new BlockWriter()
  readonly #calls: CallWriter
  /** Deltas received while a call was still being written. */
  readonly #held: ChatDelta[] = []
  /**
   * Thinking after text or a call. It is written only if something follows, because Anthropic's messages never end with
   * thinking.
   */
  readonly #late: ChatDelta[] = []
  #started = false
  #usage: Usage | undefined
  #refusal = ''
  #refusalSaid = false
  #finish: FinishReason | undefined
  #stopSequence: string | null = null
  /** Whether the error event was written, behind which nothing follows. */
  #isOver = false

  constructor(request: MessagesRequest, context: Context) {
    this.#textShown = showsThinking(request)
    this.#isAsked = asksForThinking(request)
    this.#model = request.model
    this.#context = context
    this.#calls = new CallWriter(this.#blocks, {
      newId: context.newId,
      isAsked: this.#isAsked,
      called: calledTools(request.tools ?? []),
    })
  }

  write(step: Step<ChatChunk>): string {
    if ('usage' in step) {
      this.#usage = step.usage
      return ''
    }
    if (this.#isOver) return ''
    try {
      return this.#write(step)
    } catch (thrown) {
      return this.#failed(thrown)
    }
  }

  #write(step: { readonly event: ChatChunk }): string {
    const { event } = step
    const piece = this.#isSpeaking() ? pieceIn(event, 'content') : undefined
    if (piece !== undefined) return this.#blocks.say(piece)
    const choice = event.choices.find(({ index }) => index === 0)
    if (choice === undefined) return ''
    const start = this.#begin(event)
    const content = this.#take(choice.delta)
    if (choice.finish_reason !== null) {
      this.#finish = choice.finish_reason
      this.#stopSequence = choice.stop_sequence ?? null
    }
    return start + content
  }

  end(): string {
    if (this.#isOver) return ''
    try {
      return this.#end()
    } catch (thrown) {
      return this.#failed(thrown)
    }
  }

  #end(): string {
    const start = this.#begin({ id: this.#context.newId('msg_'), model: this.#model })
    const rest = this.#finishBlocks()
    if (this.#blocks.isCiting()) this.#context.leftOut(annotationsName)
    const finish = this.#finish ?? 'stop'
    const declined = finish !== 'content_filter' && this.#refusal !== ''
    const hasCalls = this.#calls.any()
    const stopSequence = this.#stopSequence
    const filtered = finish === 'content_filter' && this.#refusal !== ''
    const delta = {
      stop_reason: declined ? 'refusal' : stopReason(finish, { hasCalls, stopSequence }),
      stop_sequence: stopSequence,
      stop_details: filtered ? refusalDetails(this.#refusal) : null,
    }
    const usage = formatUsage(this.#usage ?? this.#usageSoFar())
    return (
      start +
      rest +
      writeEvent({ type: 'message_delta', delta, usage }) +
      writeEvent({ type: 'message_stop' })
    )
  }

  fail(error: GatewayError): string {
    if (this.#isOver) return ''
    this.#isOver = true
    const data = JSON.stringify(errorBody(error, this.#context.requestId))
    return formatEvent({ event: 'error', data })
  }

  /** What cannot be told ends the message. The upstream has done its work all the same, so that its stream is read to the end. */
  #failed(thrown: unknown): string {
    if (thrown instanceof GatewayError) return this.fail(thrown)
    throw thrown
  }

  /** Whether text can follow at once: nothing is held back, and no call began. */
  #isSpeaking(): boolean {
    return this.#started && this.#held.length === 0 && this.#late.length === 0 && !this.#calls.any()
  }

  #begin({ id, model, service_tier: tier }: Head): string {
    if (this.#started) return ''
    this.#started = true
    const message = {
      id: messageId(id, this.#context.newId),
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      // Most upstreams report usage only at the end, so that message_delta corrects it.
      usage: formatMessageUsage({ ...this.#usageSoFar(), reasoningTokens: 0 }, tier),
    }
    return writeEvent({ type: 'message_start', message })
  }

  /** What the upstream has said. As long as it has not said the input, this is what such a request usually has. */
  #usageSoFar(): Usage {
    const said = this.#usage ?? noUsage
    if (said.inputTokens > 0) return said
    return { ...said, inputTokens: this.#context.expectedInput?.() ?? 0 }
  }

  /** Text may be written between calls but not inside one, so it is held back until the call ends. */
  #take(delta: ChatDelta): string {
    this.#refusal += delta.refusal ?? ''
    let events = ''
    if (hasWords(delta)) {
      this.#held.push(delta)
      if (!this.#calls.writing()) events = this.#sayHeld()
    }
    const { tool_calls: calls } = delta
    if (!calls?.length) return events
    events += this.#tellLate()
    for (const call of calls) events += this.#calls.take(call)
    return events
  }

  #sayHeld(): string {
    return (
      this.#calls.close() +
      this.#held
        .splice(0)
        .map((delta) => this.#say(delta))
        .join('')
    )
  }

  #say(delta: ChatDelta): string {
    let events = ''
    if (delta.reasoning_content || delta.thinking_blocks?.length) {
      if (!this.#isAsked || this.#blocks.hasSpoken() || this.#calls.any()) this.#late.push(delta)
      else events = this.#think(delta)
    }
    if (this.#isAsked && (delta.content || delta.images?.length)) events += this.#tellLate()
    return events + this.#speak(delta)
  }

  #tellLate(): string {
    if (this.#late.length === 0) return ''
    const late = this.#late.splice(0)
    if (this.#isAsked) return late.map((delta) => this.#think(delta)).join('')
    const carried = late.flatMap(({ thinking_blocks: thoughts }) => thoughts ?? [])
    this.#calls.carry(carried)
    if (!this.#textShown || carried.length > 0 || this.#calls.any()) return ''
    return late.map((delta) => this.#blocks.think(delta.reasoning_content ?? '')).join('')
  }

  #think(delta: ChatDelta): string {
    const words = this.#textShown ? this.#blocks.think(delta.reasoning_content ?? '') : ''
    const signed = (delta.thinking_blocks ?? []).map((block) =>
      this.#blocks.sign(block, this.#textShown),
    )
    return words + signed.join('')
  }

  #speak(delta: ChatDelta): string {
    const { annotations = [] } = delta
    nameUnread(annotations, this.#context)
    return [
      this.#blocks.say(delta.content ?? ''),
      this.#blocks.cite(annotations),
      ...(delta.images ?? []).map(({ image_url: image }) => this.#blocks.picture(image.url)),
      ...(delta.server_tool_calls ?? [])
        .flatMap((call) => serverToolBlocks(call, this.#context))
        .map((block) => this.#blocks.whole(block)),
    ].join('')
  }

  /** Closes what is open: waiting calls, the text held back for them, and a refusal in the model's own words. */
  #finishBlocks(): string {
    const calls = this.#calls.finish()
    const held = this.#sayHeld()
    const declined = this.#finish !== 'content_filter' && this.#refusal !== ''
    const refusal = declined && !this.#refusalSaid ? this.#blocks.say(this.#refusal) : ''
    this.#refusalSaid = true
    return calls + held + refusal + this.#blocks.close()
  }
}

function hasWords(delta: ChatDelta): boolean {
  const { thinking_blocks: thinking, images, annotations, server_tool_calls: served } = delta
  if (delta.content || delta.reasoning_content) return true
  return Boolean(thinking?.length || images?.length || annotations?.length || served?.length)
}
