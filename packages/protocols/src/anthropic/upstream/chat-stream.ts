import {
  type ChatChunk,
  type ChatRequest,
  type Fields,
  formatJson,
  isObject,
  listOf,
  objectOf,
  type ServerSentEvent,
  someText,
  type Step,
  textOf,
} from '@sluice/contract'
import { type ChatChunks, createChatChunks } from '../../chat-chunks.ts'
import { usesFunctions } from '../../legacy-functions.ts'
import { eventObject } from '../../read-json.ts'
import type { CodecContext, StreamReader } from '../../protocol.ts'
import { annotationsOf } from './annotations.ts'
import { refusalOf, thinkingBlock } from './chat-reply.ts'
import { answerToolName } from './chat-request.ts'
import { finishReason } from '../finish-reasons.ts'
import { createUsageReading } from '../usage.ts'

type Steps = readonly Step<ChatChunk>[]

/** A block that is open: what has come of it, and what its calls are to the caller. */
interface OpenBlock {
  readonly fields: Fields
  readonly kind: 'text' | 'thinking' | 'call' | 'answer' | 'other'
  /** A counter of calls, not the index of the block. */
  readonly slot: number
  readonly start: number
  said: boolean
  thinking: string
  signature: string
  readonly citations: unknown[]
}

const none: Steps = []

/** Reads the events of a streamed answer (Claude docs, streaming messages). */
export function readChatStream(context: CodecContext, request: ChatRequest): StreamReader<'chat'> {
  return new MessageReader(context, request)
}

class MessageReader implements StreamReader<'chat'> {
  readonly #chunks: ChatChunks
  readonly #answerTool: string | undefined
  readonly #legacy: boolean
  readonly #usage = createUsageReading()
  readonly #open = new Map<unknown, OpenBlock>()
  #begun = false
  #finished = false
  #calls = 0
  #length = 0

  constructor(context: CodecContext, request: ChatRequest) {
    this.#chunks = createChatChunks(context)
    this.#answerTool = answerToolName(request, context.model)
    this.#legacy = usesFunctions(request)
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
      default:
        return none
    }
  }

  end(): Steps {
    return none
  }

  /** Some upstreams send the start twice, and some put whole blocks into it. */
  #begin(message: Fields): Steps {
    if (this.#begun) return none
    this.#begun = true
    const blocks = listOf(message['content']).filter(isObject)
    return [
      ...this.#count(message['usage']),
      // Only the role, which goes ahead of the first piece.
      ...this.#chunks.delta({}).slice(0, 1),
      ...blocks.flatMap((block, index) => [
        ...this.#openBlock(`start-${index}`, block),
        ...this.#close(`start-${index}`),
      ]),
    ]
  }

  #openBlock(index: unknown, fields: Fields): Steps {
    const kind = this.#kindOf(fields)
    const block: OpenBlock = {
      fields,
      kind,
      slot: this.#calls,
      start: this.#length,
      said: false,
      thinking: '',
      signature: textOf(fields['signature']),
      citations: [...listOf(fields['citations'])],
    }
    this.#open.set(index, block)
    if (kind === 'text') return this.#say(textOf(fields['text']))
    if (kind === 'thinking') return this.#think(block, textOf(fields['thinking']))
    if (kind !== 'call') return none
    this.#calls += 1
    const called = { name: textOf(fields['name']), arguments: '' }
    if (this.#legacy) return this.#chunks.delta({ function_call: called })
    const id = textOf(fields['id'])
    return this.#chunks.delta({
      tool_calls: [{ index: block.slot, id, type: 'function', function: called }],
    })
  }

  #kindOf({ type, name }: Fields): OpenBlock['kind'] {
    if (type === 'text') return 'text'
    if (type === 'thinking' || type === 'redacted_thinking') return 'thinking'
    if (type !== 'tool_use') return 'other'
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
    this.#length += text.length
    return text === '' ? none : this.#chunks.delta({ content: text })
  }

  #think(block: OpenBlock | undefined, thinking: string): Steps {
    if (block) block.thinking += thinking
    return thinking === '' ? none : this.#chunks.delta({ reasoning_content: thinking })
  }

  /** A piece of a call's input; of the tool that holds the answer it is the answer. */
  #argue(block: OpenBlock, piece: string): Steps {
    if (piece === '') return none
    block.said = true
    if (block.kind === 'answer') return this.#say(piece)
    if (block.kind !== 'call') return none
    if (this.#legacy) return this.#chunks.delta({ function_call: { arguments: piece } })
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
        // A call without arguments has no piece with text in it, and a few upstreams put them into the start.
        return block.said ? none : this.#argue(block, formatJson(block.fields['input'] ?? {}))
      case 'text': {
        const place = { start: block.start, end: this.#length }
        const annotations = annotationsOf(block.citations, place)
        return annotations.length === 0 ? none : this.#chunks.delta({ annotations })
      }
      default:
        return none
    }
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
    const refusal = refusalOf(delta)
    const stopSequence = someText(delta['stop_sequence'])
    const finish = finishReason(reason, this.#calls > 0)
    return [
      ...(refusal === undefined ? none : this.#chunks.delta({ refusal })),
      ...this.#chunks.finish(
        this.#legacy && finish === 'tool_calls' ? 'function_call' : finish,
        stopSequence === undefined ? {} : { stop_sequence: stopSequence },
      ),
    ]
  }
}
