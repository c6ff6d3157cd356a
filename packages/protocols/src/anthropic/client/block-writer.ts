import type { Fields, ThinkingBlock } from '@sluice/contract'
import { Excerpts } from '../../excerpts.ts'
import { SaidText } from '../../said-text.ts'
import type { Block } from '../blocks.ts'
import { citationsOf } from './citations.ts'
import { pictureText } from './reply.ts'
import { thinkingBlock, wordsOf } from './thinking.ts'
import { writeEvent } from './write-event.ts'

type Kind = 'text' | 'thinking' | 'tool_use'

/** Writes consecutive blocks with increasing indexes; at most one is open. */
interface Frames {
  readonly kind: () => Kind | undefined
  /** Opens a block unless one of this kind is already open. */
  readonly enter: (kind: Kind, block: Block) => string
  readonly delta: (delta: object) => string
  /** Writes a complete block. */
  readonly whole: (block: Block) => string
  readonly close: () => string
}

function createFrames(): Frames {
  let next = 0
  let open: Kind | undefined

  function start(block: Block): string {
    const index = next
    next += 1
    return writeEvent({ type: 'content_block_start', index, content_block: block })
  }

  function close(): string {
    if (open === undefined) return ''
    open = undefined
    return writeEvent({ type: 'content_block_stop', index: next - 1 })
  }

  return {
    kind: () => open,
    enter(kind, block) {
      if (open === kind) return ''
      const closed = close()
      open = kind
      return closed + start(block)
    },
    delta: (delta) => writeEvent({ type: 'content_block_delta', index: next - 1, delta }),
    whole(block) {
      const written = close() + start(block)
      return written + writeEvent({ type: 'content_block_stop', index: next - 1 })
    },
    close,
  }
}

/** Writes the blocks of a streamed message. */
export interface BlockWriter {
  /** Whether any text was written. */
  hasSpoken(): boolean
  /** Writes a piece of the response text. */
  say(text: string): string
  /** Writes a piece of thinking. */
  think(thinking: string): string
  /** Ends a thinking block with its signature. Its text is written now unless it already was. */
  sign(block: ThinkingBlock, textShown: boolean): string
  picture(url: string): string
  /** Writes citations of the text so far. While no text block is open they are held back, because they must belong to one. */
  cite(annotations: readonly Fields[] | undefined): string
  /** Whether citations are held back. */
  isCiting(): boolean
  beginCall(id: string, name: string): string
  argue(piece: string): string
  /** Writes a complete block. */
  whole(block: Block): string
  close(): string
}

const thought: Block = { type: 'thinking', thinking: '', signature: '' }

export function createBlockWriter(): BlockWriter {
  const { kind, enter, delta, whole, close } = createFrames()
  const written = new SaidText()
  const waiting: Fields[] = []
  const excerpts = new Excerpts()
  /** Whether thinking text was written whose end has not come. */
  let thinks = false

  function say(text: string): string {
    if (text === '') return ''
    written.add(text)
    return enter('text', { type: 'text', text: '' }) + delta({ type: 'text_delta', text }) + cite()
  }

  function cite(): string {
    if (kind() !== 'text' || waiting.length === 0) return ''
    return citationsOf(written, waiting.splice(0), excerpts)
      .map((citation) => delta({ type: 'citations_delta', citation }))
      .join('')
  }

  return {
    hasSpoken: () => written.length > 0,
    say,
    think(thinking) {
      if (thinking === '') return ''
      thinks = true
      return enter('thinking', thought) + delta({ type: 'thinking_delta', thinking })
    },
    sign(block, textShown) {
      const isOpen = kind() === 'thinking'
      const words = thinks || !textShown ? '' : wordsOf(block)
      thinks = false
      const written = thinkingBlock(block, isOpen ? 'written' : words)
      if (written.type !== 'thinking') return whole(written)
      const opened = isOpen ? '' : enter('thinking', thought)
      const spoken = words === '' ? '' : delta({ type: 'thinking_delta', thinking: words })
      const signature = delta({ type: 'signature_delta', signature: written['signature'] })
      return opened + spoken + signature + close()
    },
    picture: (url) => close() + say(pictureText(url)) + close(),
    cite(annotations) {
      for (const annotation of annotations ?? []) waiting.push(annotation)
      return cite()
    },
    isCiting: () => waiting.length > 0,
    beginCall: (id, name) => close() + enter('tool_use', { type: 'tool_use', id, name, input: {} }),
    argue: (piece) =>
      piece === '' ? '' : delta({ type: 'input_json_delta', partial_json: piece }),
    whole,
    close,
  }
}
