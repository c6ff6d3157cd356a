import { answersByTool, jsonToolName } from './json-answer.ts'
import {
  type ChatChunk,
  type ChatRequest,
  countOf,
  type Fields,
  formatDataUrl,
  isObject,
  objectOf,
  type ServerSentEvent,
  type Step,
  someText,
  textOf,
} from '@sluice/contract'
import { type ChatChunks, createChatChunks } from '../chat-chunks.ts'
import type { Annotation } from '../citations.ts'
import { assertCut } from '../finished.ts'
import type { CodecContext, StreamReader } from '../protocol.ts'
import { eventObject } from '../read-json.ts'
import { UnreadContents } from '../unread-content.ts'
import { annotationsOf, finishReason, stopSequenceOf, unreadKind } from './chat-reply.ts'
import { BlockFees, readUsage } from './usage.ts'

type Steps = readonly Step<ChatChunk>[]

/** A content block being received. */
type OpenBlock =
  | { readonly kind: 'call'; readonly slot: number }
  | { readonly kind: 'json'; empty: boolean }
  | { readonly kind: 'image'; readonly format: string; readonly bytes: Buffer[] }
  | {
      readonly kind: 'thinking'
      readonly text: string
      readonly signature: string
      readonly redacted: string
    }

/**
 * Reads ConverseStream: frames named messageStart, contentBlockStart, contentBlockDelta, contentBlockStop, messageStop and
 * metadata. Text and reasoning blocks have no start event. Usage comes with metadata, usually after messageStop.
 */
export class ConverseReader implements StreamReader<'chat'> {
  readonly #chunks: ChatChunks
  readonly #byTool: boolean
  readonly #fees = new BlockFees()
  /** By the index of the block. */
  readonly #open = new Map<number, OpenBlock>()
  readonly #texts = new CitedTexts()
  readonly #unread = new UnreadContents()
  #calls = 0

  constructor(context: CodecContext, request: ChatRequest) {
    this.#chunks = createChatChunks(context)
    this.#byTool = answersByTool(request)
  }

  read(event: ServerSentEvent): Steps {
    const body = eventObject(event) ?? {}
    const index = countOf(body['contentBlockIndex']) ?? 0
    switch (event.event) {
      case 'contentBlockStart':
        return this.#start(index, objectOf(body['start']))
      case 'contentBlockDelta':
        return this.#delta(index, objectOf(body['delta']))
      case 'contentBlockStop':
        return this.#stop(index)
      case 'messageStop':
        return this.#finish(body)
      case 'metadata': {
        const usage = this.#fees.in(readUsage(body))
        return usage === undefined ? [] : [{ usage }]
      }
      default:
        return []
    }
  }

  end(): Steps {
    return []
  }

  #finish(body: Fields): Steps {
    const reason = finishReason(body['stopReason'], this.#calls > 0)
    if (this.#isCalling()) assertCut(reason)
    const open = [...this.#texts.open(), ...this.#open.keys(), ...this.#unread.open()]
    const rest = [...new Set(open)].flatMap((index) => this.#stop(index))
    const matched = stopSequenceOf(body['additionalModelResponseFields'])
    const extra = matched === undefined ? {} : { stop_sequence: matched }
    return [...rest, ...this.#chunks.finish(reason, extra)]
  }

  #start(index: number, start: Fields): Steps {
    this.#fees.see(start)
    const { toolUse, image } = start
    const kind = unreadKind(start)
    if (kind !== undefined) this.#unread.begin(index, kind, objectOf(start[kind]))
    if (isObject(image))
      this.#open.set(index, { kind: 'image', format: textOf(image['format']), bytes: [] })
    return isObject(toolUse) ? this.#startCall(index, toolUse) : []
  }

  #delta(index: number, delta: Fields): Steps {
    if (this.#unread.add(index, delta)) return []
    const { text, citation, toolUse, reasoningContent, image } = delta
    if (typeof text === 'string') {
      this.#texts.add(index, text)
      return text === '' ? [] : this.#chunks.delta({ content: text })
    }
    if (isObject(citation)) this.#texts.cite(index, citation)
    const block = this.#open.get(index)
    if (block?.kind === 'image') {
      block.bytes.push(Buffer.from(textOf(objectOf(objectOf(image)['source'])['bytes']), 'base64'))
      return []
    }
    if (isObject(toolUse)) return input(this.#chunks, block, textOf(toolUse['input']))
    if (isObject(reasoningContent)) return this.#think(index, reasoningContent)
    const kind = unreadKind(delta)
    if (kind !== undefined && kind !== 'citation')
      this.#unread.begin(index, kind, objectOf(delta[kind]))
    return []
  }

  #stop(index: number): Steps {
    const annotations = this.#texts.end(index)
    const calls = this.#unread.end(index)
    return [
      ...(annotations.length === 0 ? [] : this.#chunks.delta({ annotations })),
      ...this.#stopOpen(index),
      ...(calls.length === 0 ? [] : this.#chunks.delta({ server_tool_calls: [...calls] })),
    ]
  }

  /** True while the input of a call is incomplete. */
  #isCalling(): boolean {
    return [...this.#open.values()].some(({ kind }) => kind === 'call' || kind === 'json')
  }

  #startCall(index: number, toolUse: Fields): Steps {
    if (this.#byTool && toolUse['name'] === jsonToolName) {
      this.#open.set(index, { kind: 'json', empty: true })
      return []
    }
    const name = someText(toolUse['name'])
    if (name === undefined) return []
    const slot = this.#calls
    this.#calls += 1
    this.#open.set(index, { kind: 'call', slot })
    const id = textOf(toolUse['toolUseId'])
    const call = { index: slot, id, type: 'function', function: { name, arguments: '' } } as const
    return this.#chunks.delta({ tool_calls: [call] })
  }

  #think(index: number, piece: Fields): Steps {
    this.#open.set(index, grown(this.#open.get(index), piece))
    const thought = textOf(piece['text'])
    return thought === '' ? [] : this.#chunks.delta({ reasoning_content: thought })
  }

  #stopOpen(index: number): Steps {
    const block = this.#open.get(index)
    this.#open.delete(index)
    if (block === undefined || block.kind === 'call') return []
    if (block.kind === 'image') return picture(this.#chunks, block)
    if (block.kind === 'json') return block.empty ? input(this.#chunks, block, '{}') : []
    const { text, signature, redacted } = block
    if (redacted !== '')
      return this.#chunks.delta({
        thinking_blocks: [{ type: 'redacted_thinking', data: redacted }],
      })
    if (signature === '') return []
    return this.#chunks.delta({
      thinking_blocks: [{ type: 'thinking', thinking: text, signature }],
    })
  }
}

/** The start of each text block in the response, and its citations. */
class CitedTexts {
  readonly #texts = new Map<number, { readonly start: number; readonly citations: Fields[] }>()
  #length = 0

  add(index: number, text: string): void {
    this.#at(index)
    this.#length += text.length
  }

  cite(index: number, citation: Fields): void {
    this.#at(index).citations.push(citation)
  }

  open(): readonly number[] {
    return [...this.#texts.keys()]
  }

  end(index: number): Annotation[] {
    const text = this.#texts.get(index)
    this.#texts.delete(index)
    if (text === undefined) return []
    return annotationsOf(text.citations, { start: text.start, end: this.#length })
  }

  #at(index: number) {
    const text = this.#texts.get(index) ?? { start: this.#length, citations: [] }
    this.#texts.set(index, text)
    return text
  }
}

/** An image may arrive in several pieces; a data URL needs all bytes. */
function picture(
  chunks: ChatChunks,
  { format, bytes }: Extract<OpenBlock, { readonly kind: 'image' }>,
): Steps {
  if (bytes.length === 0) return []
  const url = formatDataUrl(`image/${format || 'png'}`, Buffer.concat(bytes).toString('base64'))
  return chunks.delta({ images: [{ type: 'image_url', image_url: { url } }] })
}

function input(chunks: ChatChunks, block: OpenBlock | undefined, text: string): Steps {
  if (text === '' || (block?.kind !== 'call' && block?.kind !== 'json')) return []
  if (block.kind === 'call')
    return chunks.delta({ tool_calls: [{ index: block.slot, function: { arguments: text } }] })
  block.empty = false
  return chunks.delta({ content: text })
}

function grown(block: OpenBlock | undefined, piece: Fields): OpenBlock {
  const before = block?.kind === 'thinking' ? block : { text: '', signature: '', redacted: '' }
  return {
    kind: 'thinking',
    text: before.text + textOf(piece['text']),
    signature: before.signature + textOf(piece['signature']),
    redacted: before.redacted + textOf(piece['redactedContent']),
  }
}
