import {
  type ChatChunk,
  type ChatDelta,
  type FinishReason,
  formatEvent,
  type GatewayError,
  noUsage,
  type Step,
  type Usage,
} from '@sluice/contract'
import type { StreamWriter } from '../../protocol.ts'
import { BlockWriter } from './block-writer.ts'
import { CallWriter } from './call-writer.ts'
import { errorBody } from './error.ts'
import { messageId, refusalDetails } from './reply.ts'
import { stopReason } from '../finish-reasons.ts'
import { formatUsage } from '../usage.ts'
import { writeEvent } from './write-event.ts'

/**
 * Writes canonical chunks as the events of a streamed message: one message_start, blocks strictly one after the
 * other, and, because usage comes last, one message_delta at the end with everything that is known.
 */
export class MessageWriter implements StreamWriter<'chat'> {
  readonly contentType = 'text/event-stream; charset=utf-8'
  readonly keepAlive = writeEvent({ type: 'ping' })
  readonly #textShown: boolean
  readonly #model: string
  readonly #newId: (prefix: string) => string
  readonly #blocks = new BlockWriter()
  readonly #calls: CallWriter
  /** What came while a call was still being written. */
  readonly #held: ChatDelta[] = []
  #started = false
  #usage: Usage | undefined
  #refusal = ''
  #refusalSaid = false
  #finish: FinishReason | undefined
  #stopSequence: string | null = null

  constructor(options: {
    readonly model: string
    readonly textShown: boolean
    readonly newId: (prefix: string) => string
  }) {
    this.#model = options.model
    this.#textShown = options.textShown
    this.#newId = options.newId
    this.#calls = new CallWriter(this.#blocks, options.newId)
  }

  write(step: Step<ChatChunk>): string {
    if ('usage' in step) {
      this.#usage = step.usage
      return ''
    }
    const { event } = step
    const choice = event.choices.find(({ index }) => index === 0)
    if (choice === undefined) return ''
    const start = this.#start(event.id, event.model)
    const said = this.#take(choice.delta)
    if (choice.finish_reason === null) return start + said
    this.#finish = choice.finish_reason
    this.#stopSequence = choice.stop_sequence ?? null
    return start + said + this.#finishBlocks()
  }

  end(): string {
    const start = this.#start(this.#newId('msg_'), this.#model)
    const rest = this.#finishBlocks()
    const finish = this.#finish ?? 'stop'
    const declined = finish !== 'content_filter' && this.#refusal !== ''
    const hasCalls = this.#calls.any
    const stopSequence = this.#stopSequence
    const filtered = finish === 'content_filter' && this.#refusal !== ''
    const delta = {
      stop_reason: declined ? 'refusal' : stopReason(finish, { hasCalls, stopSequence }),
      stop_sequence: stopSequence,
      stop_details: filtered ? refusalDetails(this.#refusal) : null,
    }
    const usage = formatUsage(this.#usage ?? noUsage)
    return (
      start +
      rest +
      writeEvent({ type: 'message_delta', delta, usage }) +
      writeEvent({ type: 'message_stop' })
    )
  }

  fail(error: GatewayError): string {
    return formatEvent({ event: 'error', data: JSON.stringify(errorBody(error)) })
  }

  #start(id: string, model: string): string {
    if (this.#started) return ''
    this.#started = true
    const message = {
      id: messageId(id),
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      // Most upstreams count only at the end: the numbers of message_delta are the ones to believe.
      usage: formatUsage({ ...(this.#usage ?? noUsage), reasoningTokens: 0 }),
    }
    return writeEvent({ type: 'message_start', message })
  }

  /** Words may go out between calls, but not into one: then they wait. */
  #take(delta: ChatDelta): string {
    this.#refusal += delta.refusal ?? ''
    let said = ''
    if (hasWords(delta)) {
      this.#held.push(delta)
      if (!this.#calls.writing) said = this.#sayHeld()
    }
    return said + (delta.tool_calls ?? []).map((call) => this.#calls.take(call)).join('')
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
    const blocks = this.#blocks
    return [
      this.#textShown ? blocks.think(delta.reasoning_content ?? '') : '',
      ...(delta.thinking_blocks ?? []).map((block) => blocks.sign(block, this.#textShown)),
      blocks.say(delta.content ?? ''),
      ...(delta.images ?? []).map(({ image_url: image }) => blocks.picture(image.url)),
      blocks.cite(delta.annotations),
    ].join('')
  }

  /** Closes what is open: calls that waited, what waited for them, and a refusal in the model's own words. */
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
  const { content, reasoning_content: reasoning, thinking_blocks: thinking } = delta
  const lists = [thinking, delta.images, delta.annotations]
  return Boolean(content) || Boolean(reasoning) || lists.some((list) => (list?.length ?? 0) > 0)
}
