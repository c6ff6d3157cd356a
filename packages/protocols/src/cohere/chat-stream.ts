import {
  type ChatChunk,
  countOf,
  type Fields,
  objectOf,
  type Step,
  someText,
  textOf,
} from '@sluice/contract'
import { type ChatChunks, createChatChunks } from '../chat-chunks.ts'
import { assertCut } from '../finished.ts'
import type { CodecContext, StreamReader } from '../protocol.ts'
import { eventObject } from '../read-json.ts'
import { UnreadContents } from '../unread-content.ts'
import { unreadKind } from './chat-reply.ts'
import { annotationsOf, type ContentPart } from './citations.ts'
import { CodePoints } from './citations.ts'
import { finishReason } from './finish-reasons.ts'
import { readLogprobs } from './logprobs.ts'
import { readUsage } from './usage.ts'

type Steps = readonly Step<ChatChunk>[]

function messageOf(body: Fields): Fields {
  return objectOf(objectOf(body['delta'])['message'])
}

interface ChunkPosition {
  readonly logprobs?: unknown
  /** Index of the content part. */
  readonly index?: number
}

/** The content parts of one response, with the position of each part's text in the text of the response. */
class ContentParts {
  readonly #chunks: ChatChunks
  readonly #parts = new Map<number, ContentPart>()
  readonly #unread = new UnreadContents()
  #length = 0

  constructor(chunks: ChatChunks) {
    this.#chunks = chunks
  }

  begin(index: number, part: Fields, told: ChunkPosition): Steps {
    this.#parts.set(index, { offset: this.#length, text: new CodePoints() })
    const kind = unreadKind(part)
    if (kind === undefined) return this.tell(part, told)
    const { type: _, ...content } = part
    this.#unread.begin(index, kind, content)
    return []
  }

  /** Content of an unknown kind is told when it is complete. */
  end(index: number): Steps {
    const calls = this.#unread.end(index)
    return calls.length === 0 ? [] : this.#chunks.delta({ server_tool_calls: [...calls] })
  }

  /** Ends what has not ended. */
  endAll(): Steps {
    return this.#unread.open().flatMap((index) => this.end(index))
  }

  tell(part: Fields, { logprobs, index }: ChunkPosition = {}): Steps {
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

  cite(citations: unknown): Steps {
    const annotations = annotationsOf(citations, this.#parts)
    return annotations.length === 0 ? [] : this.#chunks.delta({ annotations })
  }
}

/**
 * Reads events. `type` in their data names them: message-start, content-start, content-delta, content-end, tool-plan-delta,
 * tool-call-start, tool-call-delta, tool-call-end, citation-start, citation-end, and message-end with the finish reason and
 * the usage.
 */
export function createChatReader(context: CodecContext): StreamReader<'chat'> {
  const chunks = createChatChunks(context)
  /** Maps Cohere's index of a call to the canonical one. */
  const calls = new Map<number, number>()
  /** Calls that have not ended. */
  const open = new Set<number>()
  const parts = new ContentParts(chunks)

  function startCall(index: number, call: Fields): Steps {
    const called = objectOf(call['function'])
    const name = someText(called['name'])
    if (name === undefined) return []
    const slot = calls.size
    calls.set(index, slot)
    open.add(index)
    const head = { name, arguments: textOf(called['arguments']) }
    const id = textOf(call['id'])
    return chunks.delta({ tool_calls: [{ index: slot, id, type: 'function', function: head }] })
  }

  function argumentsOf(index: number, text: string): Steps {
    const slot = calls.get(index)
    if (slot === undefined || text === '') return []
    return chunks.delta({ tool_calls: [{ index: slot, function: { arguments: text } }] })
  }

  function finish(delta: Fields): Steps {
    const usage = readUsage(delta['usage'])
    const reason = finishReason(delta['finish_reason'], calls.size > 0)
    if (open.size > 0) assertCut(reason)
    const last = usage === undefined ? [] : [{ usage }]
    return [...parts.endAll(), ...chunks.finish(reason), ...last]
  }

  return {
    read(event) {
      const body = eventObject(event) ?? {}
      const index = countOf(body['index']) ?? 0
      const message = messageOf(body)
      const place = { logprobs: body['logprobs'], index }
      switch (body['type']) {
        case 'content-start':
          return parts.begin(index, objectOf(message['content']), place)
        case 'content-end':
          return parts.end(index)
        case 'citation-start':
          return parts.cite(message['citations'])
        case 'content-delta':
          return parts.tell(objectOf(message['content']), place)
        case 'tool-plan-delta':
          return parts.tell({ thinking: message['tool_plan'] })
        case 'tool-call-start':
          return startCall(index, objectOf(message['tool_calls']))
        case 'tool-call-delta': {
          const called = objectOf(objectOf(message['tool_calls'])['function'])
          return argumentsOf(index, textOf(called['arguments']))
        }
        case 'tool-call-end':
          open.delete(index)
          return []
        case 'message-end':
          return finish(objectOf(body['delta']))
        default:
          return []
      }
    },
    end: () => [],
  }
}
