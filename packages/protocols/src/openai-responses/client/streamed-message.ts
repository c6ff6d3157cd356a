import type { ChoiceLogprobs, Fields } from '@sluice/contract'
import { assertBounded } from '../../bounded.ts'
import type { FormatContext } from '../../client-format.ts'
import { textPart } from './items.ts'
import type { FlatNames } from './offered-tools.ts'
import type { ResponsesRequest } from './schema.ts'

/** What the output items need to write their events. */
export interface Teller {
  readonly itemId: (prefix: string) => string
  readonly callId: () => string
  readonly names: FlatNames
  readonly request: ResponsesRequest
  /** Whether the caller asked for logprobs. */
  readonly logprobs: boolean
  readonly tell: (type: string, fields: object) => void
  readonly tellPiece: (place: PiecePlace, piece: string) => void
  /** Reports what a response cannot express. */
  readonly leftOut: FormatContext['leftOut']
}

/** The event for the pieces of one text: what stands before its number, between number and piece, and behind the piece. */
export interface PiecePlace {
  readonly before: string
  readonly between: string
  readonly after: string
}

/** `place` are the fields between number and piece, `further` those behind the piece. */
export function piecePlace(type: string, place: object, further = ''): PiecePlace {
  return {
    before: `event: ${type}\ndata: {"type":"${type}","sequence_number":`,
    between: `,${JSON.stringify(place).slice(1, -1)},"delta":`,
    after: `${further}}\n\n`,
  }
}

type Part = {
  readonly type: 'output_text' | 'refusal'
  readonly index: number
  readonly place: PiecePlace
  text: string
  readonly annotations: Fields[]
  readonly logprobs: NonNullable<ChoiceLogprobs['content']>
}

/** The message of a streamed response. It has one text part and one refusal part; each is opened when it begins. */
export class StreamedMessage {
  readonly id: string
  readonly index: number
  readonly #teller: Teller
  readonly #parts: Part[] = []

  constructor(id: string, index: number, teller: Teller) {
    this.id = id
    this.index = index
    this.#teller = teller
  }

  addText(text: string, logprobs: ChoiceLogprobs | null): void {
    const part = this.#partOfType('output_text')
    const tokens = this.#teller.logprobs ? (logprobs?.content ?? []) : []
    part.text += text
    part.logprobs.push(...tokens)
    if (tokens.length === 0) this.#teller.tellPiece(part.place, text)
    else this.#tell('response.output_text.delta', part, { delta: text, logprobs: tokens })
  }

  addRefusal(refusal: string): void {
    const part = this.#partOfType('refusal')
    part.text += refusal
    this.#teller.tellPiece(part.place, refusal)
  }

  annotate(annotation: Fields): void {
    const part = this.#partOfType('output_text')
    const at = part.annotations.push(annotation) - 1
    assertBounded(at, 'citations')
    this.#tell('response.output_text.annotation.added', part, { annotation_index: at, annotation })
  }

  /** Ends every part. Returns the content of the finished message. */
  close(): readonly Fields[] {
    return this.#parts.map((part) => {
      const whole = partOf(part)
      if (part.type === 'refusal') this.#tell('response.refusal.done', part, { refusal: part.text })
      else
        this.#tell('response.output_text.done', part, { text: part.text, logprobs: part.logprobs })
      this.#tell('response.content_part.done', part, { part: whole })
      return whole
    })
  }

  #tell(type: string, part: Part, fields: object): void {
    this.#teller.tell(type, { ...this.#placeOf(part.index), ...fields })
  }

  #placeOf(index: number): object {
    return { item_id: this.id, output_index: this.index, content_index: index }
  }

  #partOfType(type: Part['type']): Part {
    const known = this.#parts.find((part) => part.type === type)
    if (known !== undefined) return known
    const index = this.#parts.length
    const place =
      type === 'refusal'
        ? piecePlace('response.refusal.delta', this.#placeOf(index))
        : piecePlace('response.output_text.delta', this.#placeOf(index), ',"logprobs":[]')
    const part: Part = { type, index, place, text: '', annotations: [], logprobs: [] }
    this.#parts.push(part)
    this.#tell('response.content_part.added', part, { part: partOf(part) })
    return part
  }
}

function partOf({ type, text, annotations, logprobs }: Part): Fields {
  if (type === 'refusal') return { type, refusal: text }
  // A copy, because an event may be written after more of them have arrived.
  const content = [...logprobs]
  return textPart(text, { annotations: [...annotations], logprobs: { content, refusal: null } })
}
