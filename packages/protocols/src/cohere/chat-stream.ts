import {
  type ChatChunk,
  countOf,
  type Fields,
  objectOf,
  type ServerSentEvent,
  type Step,
  someText,
  textOf,
} from '@sluice/contract'
import { type ChatChunks, createChatChunks } from '../chat-chunks.ts'
import { assertCut } from '../finished.ts'
import type { CodecContext, StreamReader } from '../protocol.ts'
import { eventObject } from '../read-json.ts'
import { UnreadContents } from '../unread-content.ts'
import { finishReason, readLogprobs, unreadKind } from './chat-reply.ts'
import { annotationsOf, type ContentPart } from './citations.ts'
import { CodePoints } from './citations.ts'
import { readUsage } from './usage.ts'

type Steps = readonly Step<ChatChunk>[]

interface ChunkPosition {
  readonly logprobs?: unknown
  /** Index of the content part. */
  readonly index?: number
}

/**
 * Reads events. `type` in their data names them: message-start, content-start, content-delta, content-end, tool-plan-delta,
 * tool-call-start, tool-call-delta, tool-call-end, citation-start, citation-end, and message-end with the finish reason and
 * the usage.
 */
export class CohereReader implements StreamReader<'chat'> {
  readonly #chunks: ChatChunks
  /** The content parts, with the position of each part's text in the text of the response. */
  readonly #parts = new Map<number, ContentPart>()
  readonly #unread = new UnreadContents()
  #length = 0
  /** Maps Cohere's index of a call to the canonical one. */
  readonly #calls = new Map<number, number>()
  /** Calls that have not ended. */
  readonly #open = new Set<number>()

  constructor(context: CodecContext) {
    this.#chunks = createChatChunks(context)
  }

  read(event: ServerSentEvent): Steps {
    const body = eventObject(event) ?? {}
    const index = countOf(body['index']) ?? 0
    const message = objectOf(objectOf(body['delta'])['message'])
    const place = { logprobs: body['logprobs'], index }
    switch (body['type']) {
      case 'content-start':
        return this.#beginPart(index, objectOf(message['content']), place)
      case 'content-end':
        return this.#endPart(index)
      case 'citation-start':
        return this.#cite(message['citations'])
      case 'content-delta':
        return this.#tell(objectOf(message['content']), place)
      case 'tool-plan-delta':
        return this.#tell({ thinking: message['tool_plan'] })
      case 'tool-call-start':
        return this.#startCall(index, objectOf(message['tool_calls']))
      case 'tool-call-delta': {
        const called = objectOf(objectOf(message['tool_calls'])['function'])
        return this.#argue(index, textOf(called['arguments']))
      }
      case 'tool-call-end':
        this.#open.delete(index)
        return []
      case 'message-end':
        return this.#finish(objectOf(body['delta']))
      default:
        return []
    }
  }

  end(): Steps {
    return []
  }

  #beginPart(index: number, part: Fields, place: ChunkPosition): Steps {
    this.#parts.set(index, { offset: this.#length, text: new CodePoints() })
    const kind = unreadKind(part)
    if (kind === undefined) return this.#tell(part, place)
    const { type: _, ...content } = part
    this.#unread.begin(index, kind, content)
    return []
  }

  /** Content of an unknown kind is told when it is complete. */
  #endPart(index: number): Steps {
    const calls = this.#unread.end(index)
    return calls.length === 0 ? [] : this.#chunks.delta({ server_tool_calls: [...calls] })
  }

  #tell(part: Fields, { logprobs, index }: ChunkPosition = {}): Steps {
    if (index !== undefined && this.#unread.add(index, part)) return []
    const { text, thinking } = part
    const added = textOf(text)
    const thought = textOf(thinking)
    this.#length += added.length
    this.#parts.get(index ?? 0)?.text.add(added)
    return [
      ...(thought === '' ? [] : this.#chunks.delta({ reasoning_content: thought })),
      ...(added === '' ? [] : this.#chunks.delta({ content: added }, readLogprobs(logprobs))),
    ]
  }

  #cite(citations: unknown): Steps {
    const annotations = annotationsOf(citations, this.#parts)
    return annotations.length === 0 ? [] : this.#chunks.delta({ annotations })
  }

  #startCall(index: number, call: Fields): Steps {
    const called = objectOf(call['function'])
    const name = someText(called['name'])
    if (name === undefined) return []
    const slot = this.#calls.size
    this.#calls.set(index, slot)
    this.#open.add(index)
    const head = { name, arguments: textOf(called['arguments']) }
    const id = textOf(call['id'])
    return this.#chunks.delta({
      tool_calls: [{ index: slot, id, type: 'function', function: head }],
    })
  }

  #argue(index: number, text: string): Steps {
    const slot = this.#calls.get(index)
    if (slot === undefined || text === '') return []
    return this.#chunks.delta({ tool_calls: [{ index: slot, function: { arguments: text } }] })
  }

  #finish(delta: Fields): Steps {
    const usage = readUsage(delta['usage'])
    const reason = finishReason(delta['finish_reason'], this.#calls.size > 0)
    if (this.#open.size > 0) assertCut(reason)
    const rest = this.#unread.open().flatMap((index) => this.#endPart(index))
    const last = usage === undefined ? [] : [{ usage }]
    return [...rest, ...this.#chunks.finish(reason), ...last]
  }
}
