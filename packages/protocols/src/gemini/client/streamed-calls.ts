import type { ToolCall, ToolCallDelta } from '@sluice/contract'
import { ObjectProgress } from '../../object-progress.ts'

/** The calls of one streamed response, assembled from their pieces. Pieces of several calls may be interleaved. */
export class StreamedCalls {
  /** By slot. */
  readonly #calls = new Map<number, ToolCall>()
  readonly #progress = new Map<number, ObjectProgress>()
  /** Slots of incomplete calls. */
  readonly #open = new Set<number>()

  add(piece: ToolCallDelta): void {
    const call = extended(this.#calls.get(piece.index), piece)
    this.#calls.set(piece.index, call)
    if (this.#isWhole(call, piece)) this.#open.delete(piece.index)
    else this.#open.add(piece.index)
  }

  all(): readonly ToolCall[] {
    return [...this.#calls.values()]
  }

  /** False if there are no calls, and for free-form calls, whose end cannot be recognised. */
  areWhole(): boolean {
    return this.#calls.size > 0 && this.#open.size === 0
  }

  clear(): void {
    this.#calls.clear()
    this.#progress.clear()
    this.#open.clear()
  }

  /** Whether a call's arguments are complete JSON. Until then more pieces may come. */
  #isWhole({ function: called, custom }: ToolCall, piece: ToolCallDelta): boolean {
    if (custom !== undefined || called === undefined) return false
    const progress = this.#progress.get(piece.index) ?? new ObjectProgress()
    this.#progress.set(piece.index, progress)
    progress.add(piece.function?.arguments ?? '')
    return progress.isWhole(called.arguments)
  }
}

function extended(known: ToolCall | undefined, piece: ToolCallDelta): ToolCall {
  const extra = piece.extra_content ?? known?.extra_content
  const id = known?.id ?? piece.id ?? ''
  if (piece.custom !== undefined || known?.custom !== undefined) {
    const { name = '', input = '' } = known?.custom ?? {}
    const custom = {
      name: name || (piece.custom?.name ?? ''),
      input: input + (piece.custom?.input ?? ''),
    }
    return { id, type: 'custom', custom }
  }
  return {
    id,
    type: 'function',
    function: {
      name: known?.function?.name || (piece.function?.name ?? ''),
      arguments: (known?.function?.arguments ?? '') + (piece.function?.arguments ?? ''),
    },
    ...(extra == null ? {} : { extra_content: extra }),
  }
}
