import { answerToolName } from './json-answer.ts'
import { flatName } from '../toolsets.ts'
import { blockGap, refusalOf, thinkingBlock } from '../blocks.ts'
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
import { createUsageReading } from '../usage.ts'
import { annotationsOf } from './chat-reply.ts'
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

/** Reads the events of a streamed response (Claude docs, streaming messages). */
export class MessageReader implements StreamReader<'chat'> {
  readonly #chunks: ChatChunks
  readonly #answerTool: string | undefined
  readonly #usage = createUsageReading()
  readonly #open = new Map<unknown, OpenBlock>()
  #begun = false
  /** The message object of the start event. */
  #start: Fields = {}
  #finished = false
  #calls = 0
  #length = 0
  /** Whether another block came after the last text. */
  #isApart = false
  readonly #serverTools = new ServerTools()

  constructor(context: CodecContext, request: ChatRequest) {
    this.#chunks = createChatChunks(context)
    this.#answerTool = answerToolName(request, context.family)
  }

  read(event: ServerSentEvent): Steps {
    const data = eventObject(event)
    switch (data?.['type']) {
      case 'message_start':
        return this.#begin(objectOf(data['message']))
      case 'content_block_start':
        return this.#openBlock(data['index'], objectOf(data['content_block']))
      case 'content_block_delta':
        return this.#extend(data['index'], objectOf(data['delta']))
      case 'content_block_stop':
        return this.#close(data['index'])
      case 'message_delta':
        return [...this.#count(data['usage']), ...this.#finish(objectOf(data['delta']))]
      case 'message_stop':
        return this.#finish(this.#start)
      default:
        return none
    }
  }

  end(): Steps {
    return none
  }

  /**
   * Some upstreams send the start event twice, and some include whole blocks and the stop reason in it. A start within a block
   * begins another response, whose continuation is undefined.
   */
  #begin(message: Fields): Steps {
    if (this.#open.size > 0) throw betweenBlocks()
    if (this.#begun) return none
    this.#begun = true
    this.#start = message
    const blocks = listOf(message['content']).filter(isObject)
    return [
      ...this.#count(message['usage']),
      // Only the role, which precedes the first piece.
      ...this.#chunks.delta({}).slice(0, 1),
      ...blocks.flatMap((block, index) => [
        ...this.#openBlock(`start-${index}`, block),
        ...this.#close(`start-${index}`),
      ]),
    ]
  }

  #openBlock(index: unknown, fields: Fields): Steps {
    const kind = this.#kindOf(fields)
    this.#usage.see(fields)
    const block: OpenBlock = {
      fields,
      kind,
      slot: this.#calls,
      start: this.#length,
      said: false,
      input: '',
      thinking: '',
      signature: textOf(fields['signature']),
      citations: [...listOf(fields['citations'])],
    }
    this.#open.set(index, block)
    if (kind === 'other') this.#isApart = this.#length > 0
    if (kind === 'text') return this.#say(textOf(fields['text']))
    if (kind === 'thinking') return this.#think(block, textOf(fields['thinking']))
    if (kind !== 'call') return none
    this.#calls += 1
    const called = { name: flatName(fields), arguments: '' }
    const id = textOf(fields['id'])
    return this.#chunks.delta({
      tool_calls: [{ index: block.slot, id, type: 'function', function: called }],
    })
  }

  #kindOf({ type, name }: Fields): OpenBlock['kind'] {
    if (type === 'text') return 'text'
    if (type === 'thinking' || type === 'redacted_thinking') return 'thinking'
    if (type !== 'tool_use' || someText(name) === undefined) return 'other'
    return name === this.#answerTool ? 'answer' : 'call'
  }

  #extend(index: unknown, delta: Fields): Steps {
    const block = this.#open.get(index)
    switch (delta['type']) {
      case 'text_delta':
        return this.#say(textOf(delta['text']))
      case 'thinking_delta':
        return this.#think(block, textOf(delta['thinking']))
      case 'signature_delta':
        if (block) block.signature += textOf(delta['signature'])
        return none
      case 'citations_delta':
        block?.citations.push(delta['citation'])
        return none
      case 'input_json_delta':
        return block ? this.#argue(block, textOf(delta['partial_json'])) : none
      default:
        return none
    }
  }

  #say(text: string): Steps {
    if (text === '') return none
    const gap = this.#isApart ? blockGap : ''
    this.#isApart = false
    this.#length += gap.length + text.length
    return this.#chunks.delta({ content: gap + text })
  }

  #think(block: OpenBlock | undefined, thinking: string): Steps {
    if (block) block.thinking += thinking
    return thinking === '' ? none : this.#chunks.delta({ reasoning_content: thinking })
  }

  /** A piece of a call's input; for the JSON output tool it is response text. */
  #argue(block: OpenBlock, piece: string): Steps {
    if (piece === '') return none
    block.said = true
    if (block.kind === 'answer') return this.#say(piece)
    if (block.kind === 'other') block.input += piece
    if (block.kind !== 'call') return none
    return this.#chunks.delta({
      tool_calls: [{ index: block.slot, function: { arguments: piece } }],
    })
  }

  #close(index: unknown): Steps {
    const block = this.#open.get(index)
    if (!block) return none
    this.#open.delete(index)
    switch (block.kind) {
      case 'thinking': {
        const { fields, thinking, signature } = block
        return this.#chunks.delta({
          thinking_blocks: [thinkingBlock({ ...fields, thinking, signature })],
        })
      }
      case 'call':
      case 'answer':
        // A call without arguments has no delta with text, and a few upstreams put them into the start event.
        return block.said ? none : this.#argue(block, formatJson(block.fields['input'] ?? {}))
      case 'text': {
        const place = { start: block.start, end: this.#length }
        const annotations = annotationsOf(block.citations, place)
        return annotations.length === 0 ? none : this.#chunks.delta({ annotations })
      }
      default:
        return this.#tellServerCalls(this.#serverTools.read(wholeBlock(block)))
    }
  }

  #tellServerCalls(calls: readonly ServerToolCall[]): Steps {
    return calls.length === 0 ? none : this.#chunks.delta({ server_tool_calls: [...calls] })
  }

  /** True while the input of a call is incomplete. */
  #isCalling(): boolean {
    return [...this.#open.values()].some(({ kind }) => kind === 'call' || kind === 'answer')
  }

  #count(usage: unknown): Steps {
    if (!isObject(usage)) return none
    this.#usage.add(usage)
    const read = this.#usage.read()
    return read === undefined ? none : [{ usage: read }]
  }

  #finish(delta: Fields): Steps {
    const reason = someText(delta['stop_reason'])
    if (reason === undefined || this.#finished) return none
    this.#finished = true
    const finished = finishReason(reason, this.#calls > 0)
    if (this.#isCalling()) assertCut(finished)
    const refusal = refusalOf(delta)
    const stopSequence = someText(delta['stop_sequence'])
    return [
      ...this.#tellServerCalls(this.#serverTools.rest()),
      ...(refusal === undefined ? none : this.#chunks.delta({ refusal })),
      ...this.#chunks.finish(
        finished,
        stopSequence === undefined ? {} : { stop_sequence: stopSequence },
      ),
    ]
  }
}

/** The input of a call arrives in pieces, or in the start event. */
function wholeBlock({ fields, input }: OpenBlock): Fields {
  return input === '' ? fields : { ...fields, input: readInput(input) }
}
