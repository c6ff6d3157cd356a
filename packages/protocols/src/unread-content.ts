import type { Fields, ServerToolCall } from '@sluice/contract'
import { assertBounded } from './bounded.ts'
import { unreadContent } from './server-tools.ts'

interface Open {
  readonly kind: string
  readonly pieces: Fields[]
}

/** `unreadContent` of a stream, where such content may arrive in pieces. How they belong together is not known, so they stay as they are. */
export class UnreadContents {
  readonly #open = new Map<number, Open>()

  /** `index` identifies the content until its end. */
  begin(index: number, kind: string, content: Fields): void {
    this.#open.set(index, { kind, pieces: Object.keys(content).length === 0 ? [] : [content] })
  }

  /** Returns false if the content with this index is of another kind. */
  add(index: number, piece: Fields): boolean {
    const open = this.#open.get(index)
    if (open === undefined) return false
    open.pieces.push(piece)
    assertBounded(open.pieces.length, 'pieces of content')
    return true
  }

  end(index: number): readonly ServerToolCall[] {
    const open = this.#open.get(index)
    if (open === undefined) return []
    this.#open.delete(index)
    const { kind, pieces } = open
    const [only = {}, ...more] = pieces
    return [unreadContent(kind, more.length === 0 ? only : { pieces })]
  }

  open(): readonly number[] {
    return [...this.#open.keys()]
  }
}
