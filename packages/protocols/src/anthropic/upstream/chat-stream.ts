import {
  type ChatChunk,
  type ChatRequest,
  type Fields,
  formatJson,
  isObject,
  listOf,
  objectOf,
  type ServerSentEvent,
  type ServerToolCall,
  type Step,
  someText,
  textOf,
} from '@sluice/contract'
import { type ChatChunks, createChatChunks } from '../../chat-chunks.ts'
import { assertCut, betweenBlocks } from '../../finished.ts'
import type { CodecContext, StreamReader } from '../../protocol.ts'
import { eventObject } from '../../read-json.ts'
import { readInput } from '../../server-tools.ts'
import { finishReason } from '../finish-reasons.ts'
import { createUsageReading, type UsageReading } from '../usage.ts'
import { annotationsOf } from './annotations.ts'
import { blockGap, refusalOf, thinkingBlock } from './chat-reply.ts'
import { answerToolName } from './chat-request.ts'
import { ServerTools } from './server-tools.ts'

type Steps = readonly Step<ChatChunk>[]

/** An open block with what has arrived of it. */
interface OpenBlock {
  readonly fields: Fields
  readonly kind: 'text' | 'thinking' | 'call' | 'answer' | 'other'
  /** The index of the call, not of the block. */
  readonly slot: number
  readonly start: number
  said: boolean
  /** The input of a server tool call. */
  input: string
  thinking: string
  signature: string
  readonly citations: unknown[]
}

const none: Steps = []

/** The state of a stream being read. */
interface Reading {
  readonly chunks: ChatChunks
  readonly answerTool: string | undefined
  readonly usage: UsageReading
  readonly open: Map<unknown, OpenBlock>
  begun: boolean
  /** The message object of the start event. */
  start: Fields
  finished: boolean
  calls: number
  length: number
  /** Whether another block came after the last text. */
  isApart: boolean
  readonly serverTools: ServerTools
}

/** Reads the events of a streamed response (Claude docs, streaming messages). */
export function createChatReader(
  context: CodecContext,
  request: ChatRequest,
): StreamReader<'chat'> {
  const reading: Reading = {
    chunks: createChatChunks(context),
    answerTool: answerToolName(request, context.model),
    usage: createUsageReading(),
    open: new Map(),
    begun: false,
    start: {},
    finished: false,
    calls: 0,
    length: 0,
    isApart: false,
    serverTools: new ServerTools(),
  }
  return { read: (event) => read(reading, event), end: () => none }
}

function read(reading: Reading, event: ServerSentEvent): Steps {
  const data = eventObject(event)
  switch (data?.['type']) {
    case 'message_start':
      return begin(reading, objectOf(data['message']))
    case 'content_block_start':
      return openBlock(reading, data['index'], objectOf(data['content_block']))
    case 'content_block_delta':
      return extend(reading, data['index'], objectOf(data['delta']))
    case 'content_block_stop':
      return close(reading, data['index'])
    case 'message_delta':
      return [...count(reading, data['usage']), ...finish(reading, objectOf(data['delta']))]
    case 'message_stop':
      return finish(reading, reading.start)
    default:
      return none
  }
}

/**
 * Some upstreams send the start event twice, and some include whole blocks and the stop reason in it. A start within a block
 * begins another response, whose continuation is undefined.
 */
function begin(reading: Reading, message: Fields): Steps {
  if (reading.open.size > 0) throw betweenBlocks()
  if (reading.begun) return none
  reading.begun = true
  reading.start = message
  const blocks = listOf(message['content']).filter(isObject)
  return [
    ...count(reading, message['usage']),
    // Only the role, which precedes the first piece.
    ...reading.chunks.delta({}).slice(0, 1),
    ...blocks.flatMap((block, index) => [
      ...openBlock(reading, `start-${index}`, block),
      ...close(reading, `start-${index}`),
    ]),
  ]
}

function openBlock(reading: Reading, index: unknown, fields: Fields): Steps {
  const kind = kindOf(reading, fields)
  reading.usage.see(fields)
  const block: OpenBlock = {
    fields,
    kind,
    slot: reading.calls,
    start: reading.length,
    said: false,
    input: '',
    thinking: '',
    signature: textOf(fields['signature']),
    citations: [...listOf(fields['citations'])],
  }
  reading.open.set(index, block)
  if (kind === 'other') reading.isApart = reading.length > 0
  if (kind === 'text') return say(reading, textOf(fields['text']))
  if (kind === 'thinking') return think(reading, block, textOf(fields['thinking']))
  if (kind !== 'call') return none
  reading.calls += 1
  const called = { name: textOf(fields['name']), arguments: '' }
  const id = textOf(fields['id'])
  return reading.chunks.delta({
    tool_calls: [{ index: block.slot, id, type: 'function', function: called }],
  })
}

function kindOf(reading: Reading, { type, name }: Fields): OpenBlock['kind'] {
  if (type === 'text') return 'text'
  if (type === 'thinking' || type === 'redacted_thinking') return 'thinking'
  if (type !== 'tool_use' || someText(name) === undefined) return 'other'
  return name === reading.answerTool ? 'answer' : 'call'
}

function extend(reading: Reading, index: unknown, delta: Fields): Steps {
  const block = reading.open.get(index)
  switch (delta['type']) {
    case 'text_delta':
      return say(reading, textOf(delta['text']))
    case 'thinking_delta':
      return think(reading, block, textOf(delta['thinking']))
    case 'signature_delta':
      if (block) block.signature += textOf(delta['signature'])
      return none
    case 'citations_delta':
      block?.citations.push(delta['citation'])
      return none
    case 'input_json_delta':
      return block ? argue(reading, block, textOf(delta['partial_json'])) : none
    default:
      return none
  }
}

function say(reading: Reading, text: string): Steps {
  if (text === '') return none
  const gap = reading.isApart ? blockGap : ''
  reading.isApart = false
  reading.length += gap.length + text.length
  return reading.chunks.delta({ content: gap + text })
}

function think(reading: Reading, block: OpenBlock | undefined, thinking: string): Steps {
  if (block) block.thinking += thinking
  return thinking === '' ? none : reading.chunks.delta({ reasoning_content: thinking })
}

/** A piece of a call's input; for the JSON output tool it is response text. */
function argue(reading: Reading, block: OpenBlock, piece: string): Steps {
  if (piece === '') return none
  block.said = true
  if (block.kind === 'answer') return say(reading, piece)
  if (block.kind === 'other') block.input += piece
  if (block.kind !== 'call') return none
  return reading.chunks.delta({
    tool_calls: [{ index: block.slot, function: { arguments: piece } }],
  })
}

function close(reading: Reading, index: unknown): Steps {
  const block = reading.open.get(index)
  if (!block) return none
  reading.open.delete(index)
  switch (block.kind) {
    case 'thinking': {
      const { fields, thinking, signature } = block
      return reading.chunks.delta({
        thinking_blocks: [thinkingBlock({ ...fields, thinking, signature })],
      })
    }
    case 'call':
    case 'answer':
      // A call without arguments has no delta with text, and a few upstreams put them into the start event.
      return block.said ? none : argue(reading, block, formatJson(block.fields['input'] ?? {}))
    case 'text': {
      const place = { start: block.start, end: reading.length }
      const annotations = annotationsOf(block.citations, place)
      return annotations.length === 0 ? none : reading.chunks.delta({ annotations })
    }
    default:
      return tellServerCalls(reading, reading.serverTools.read(wholeBlock(block)))
  }
}

/** The input of a call arrives in pieces, or in the start event. */
function wholeBlock({ fields, input }: OpenBlock): Fields {
  return input === '' ? fields : { ...fields, input: readInput(input) }
}

function tellServerCalls(reading: Reading, calls: readonly ServerToolCall[]): Steps {
  return calls.length === 0 ? none : reading.chunks.delta({ server_tool_calls: [...calls] })
}

/** True while the input of a call is incomplete. */
function isCalling({ open }: Reading): boolean {
  return [...open.values()].some(({ kind }) => kind === 'call' || kind === 'answer')
}

function count(reading: Reading, usage: unknown): Steps {
  if (!isObject(usage)) return none
  reading.usage.add(usage)
  const read = reading.usage.read()
  return read === undefined ? none : [{ usage: read }]
}

function finish(reading: Reading, delta: Fields): Steps {
  const reason = someText(delta['stop_reason'])
  if (reason === undefined || reading.finished) return none
  reading.finished = true
  const finished = finishReason(reason, reading.calls > 0)
  if (isCalling(reading)) assertCut(finished)
  const refusal = refusalOf(delta)
  const stopSequence = someText(delta['stop_sequence'])
  return [
    ...tellServerCalls(reading, reading.serverTools.rest()),
    ...(refusal === undefined ? none : reading.chunks.delta({ refusal })),
    ...reading.chunks.finish(
      finished,
      stopSequence === undefined ? {} : { stop_sequence: stopSequence },
    ),
  ]
}
