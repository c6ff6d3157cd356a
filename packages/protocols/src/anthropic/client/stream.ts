import {
  type ChatChunk,
  type ChatDelta,
  type FinishReason,
  formatEvent,
  noUsage,
  type Step,
  type Usage,
} from '@sluice/contract'
import { annotationsName, nameUnread } from '../../citations.ts'
import type { FormatContext, StreamWriter } from '../../client-format.ts'
import { stopReason } from '../finish-reasons.ts'
import { formatUsage } from '../usage.ts'
import { type BlockWriter, createBlockWriter } from './block-writer.ts'
import { type CallWriter, createCallWriter } from './call-writer.ts'
import { errorBody } from './error.ts'
import { asksForThinking, messageId, refusalDetails, showsThinking } from './reply.ts'
import { MessagesRequest } from './schema.ts'
import { serverToolBlocks } from './server-tools.ts'
import { writeEvent } from './write-event.ts'

type Context = Pick<FormatContext, 'leftOut' | 'newId' | 'requestId'>

/** The state of a stream being written. */
interface Writing {
  readonly textShown: boolean
  /** Whether the caller asked for thinking. Otherwise words are written only before calls, and blocks only in their ids. */
  readonly isAsked: boolean
  readonly model: string
  readonly context: Context
  readonly blocks: BlockWriter
  readonly calls: CallWriter
  /** Deltas received while a call was still being written. */
  readonly held: ChatDelta[]
  /**
   * Thinking after text or a call. It is written only if something follows, because Anthropic's messages never end with
   * thinking.
   */
  late: ChatDelta[]
  started: boolean
  usage: Usage | undefined
  refusal: string
  refusalSaid: boolean
  finish: FinishReason | undefined
  stopSequence: string | null
}

/**
 * Writes canonical chunks as the events of a streamed message: one message_start, consecutive blocks, and one message_delta at
 * the end with everything known by then, because usage comes last.
 */
export function createChatWriter(request: MessagesRequest, context: Context): StreamWriter<'chat'> {
  const blocks = createBlockWriter()
  const isAsked = asksForThinking(request)
  const writing: Writing = {
    textShown: showsThinking(request),
    isAsked,
    model: request.model,
    context,
    blocks,
    calls: createCallWriter(blocks, context.newId, isAsked),
    held: [],
    late: [],
    started: false,
    usage: undefined,
    refusal: '',
    refusalSaid: false,
    finish: undefined,
    stopSequence: null,
  }
  return {
    contentType: 'text/event-stream; charset=utf-8',
    keepAlive: writeEvent({ type: 'ping' }),
    write: (step) => write(writing, step),
    end: () => end(writing),
    fail: (error) =>
      formatEvent({ event: 'error', data: JSON.stringify(errorBody(error, context.requestId)) }),
  }
}

function write(writing: Writing, step: Step<ChatChunk>): string {
  if ('usage' in step) {
    writing.usage = step.usage
    return ''
  }
  const { event } = step
  const choice = event.choices.find(({ index }) => index === 0)
  if (choice === undefined) return ''
  const start = begin(writing, event.id, event.model)
  const content = take(writing, choice.delta)
  if (choice.finish_reason !== null) {
    writing.finish = choice.finish_reason
    writing.stopSequence = choice.stop_sequence ?? null
  }
  return start + content
}

function end(writing: Writing): string {
  const start = begin(writing, writing.context.newId('msg_'), writing.model)
  const rest = finishBlocks(writing)
  if (writing.blocks.isCiting()) writing.context.leftOut(annotationsName)
  const finish = writing.finish ?? 'stop'
  const declined = finish !== 'content_filter' && writing.refusal !== ''
  const hasCalls = writing.calls.any()
  const stopSequence = writing.stopSequence
  const filtered = finish === 'content_filter' && writing.refusal !== ''
  const delta = {
    stop_reason: declined ? 'refusal' : stopReason(finish, { hasCalls, stopSequence }),
    stop_sequence: stopSequence,
    stop_details: filtered ? refusalDetails(writing.refusal) : null,
  }
  const usage = formatUsage(writing.usage ?? noUsage)
  return (
    start +
    rest +
    writeEvent({ type: 'message_delta', delta, usage }) +
    writeEvent({ type: 'message_stop' })
  )
}

function begin(writing: Writing, id: string, model: string): string {
  if (writing.started) return ''
  writing.started = true
  const message = {
    id: messageId(id, writing.context.newId),
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    // Most upstreams report usage only at the end, in message_delta.
    usage: formatUsage({ ...(writing.usage ?? noUsage), reasoningTokens: 0 }),
  }
  return writeEvent({ type: 'message_start', message })
}

/** Text may be written between calls but not inside one, so it is held back until the call ends. */
function take(writing: Writing, delta: ChatDelta): string {
  writing.refusal += delta.refusal ?? ''
  let events = ''
  if (hasWords(delta)) {
    writing.held.push(delta)
    if (!writing.calls.writing()) events = sayHeld(writing)
  }
  const calls = delta.tool_calls ?? []
  if (calls.length > 0) events += tellLate(writing)
  return events + calls.map((call) => writing.calls.take(call)).join('')
}

function sayHeld(writing: Writing): string {
  return (
    writing.calls.close() +
    writing.held
      .splice(0)
      .map((delta) => say(writing, delta))
      .join('')
  )
}

function say(writing: Writing, delta: ChatDelta): string {
  const { blocks, calls, late } = writing
  let events = ''
  if (delta.reasoning_content || delta.thinking_blocks?.length) {
    if (!writing.isAsked || blocks.hasSpoken() || calls.any()) late.push(delta)
    else events = think(writing, delta)
  }
  if (writing.isAsked && (delta.content || delta.images?.length)) events += tellLate(writing)
  return events + speak(writing, delta)
}

function tellLate(writing: Writing): string {
  const { late } = writing
  if (late.length === 0) return ''
  writing.late = []
  if (writing.isAsked) return late.map((delta) => think(writing, delta)).join('')
  const carried = late.flatMap(({ thinking_blocks: thoughts }) => thoughts ?? [])
  writing.calls.carry(carried)
  if (!writing.textShown || carried.length > 0 || writing.calls.any()) return ''
  return late.map((delta) => writing.blocks.think(delta.reasoning_content ?? '')).join('')
}

function think({ blocks, textShown }: Writing, delta: ChatDelta): string {
  const words = textShown ? blocks.think(delta.reasoning_content ?? '') : ''
  const signed = (delta.thinking_blocks ?? []).map((block) => blocks.sign(block, textShown))
  return words + signed.join('')
}

function speak({ blocks, context }: Writing, delta: ChatDelta): string {
  const { annotations = [] } = delta
  nameUnread(annotations, context)
  return [
    blocks.say(delta.content ?? ''),
    blocks.cite(annotations),
    ...(delta.images ?? []).map(({ image_url: image }) => blocks.picture(image.url)),
    ...(delta.server_tool_calls ?? [])
      .flatMap((call) => serverToolBlocks(call, context))
      .map((block) => blocks.whole(block)),
  ].join('')
}

/** Closes what is open: waiting calls, the text held back for them, and a refusal in the model's own words. */
function finishBlocks(writing: Writing): string {
  const calls = writing.calls.finish()
  const held = sayHeld(writing)
  const declined = writing.finish !== 'content_filter' && writing.refusal !== ''
  const refusal = declined && !writing.refusalSaid ? writing.blocks.say(writing.refusal) : ''
  writing.refusalSaid = true
  return calls + held + refusal + writing.blocks.close()
}

function hasWords(delta: ChatDelta): boolean {
  const { content, reasoning_content: reasoning, thinking_blocks: thinking } = delta
  const lists = [thinking, delta.images, delta.annotations, delta.server_tool_calls]
  return Boolean(content) || Boolean(reasoning) || lists.some((list) => (list?.length ?? 0) > 0)
}
