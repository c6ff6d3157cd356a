import type { ChoiceLogprobs, Fields } from '@sluice/contract'
import { textPart } from './reply.ts'

/** What the items need to tell of themselves. */
export interface Teller {
  readonly itemId: (prefix: string) => string
  readonly callId: () => string
  /** Whether the caller asked for log probabilities. */
  readonly logprobs: boolean
  readonly tell: (type: string, fields: object) => void
}

type Part = {
  readonly type: 'output_text' | 'refusal'
  readonly index: number
  text: string
  readonly annotations: Fields[]
  readonly logprobs: NonNullable<ChoiceLogprobs['content']>
}

/** The message of a streamed response: one part of text, one of refusal, each opened when it begins. */
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
    const part = this.#part('output_text')
    const told = this.#teller.logprobs ? (logprobs?.content ?? []) : []
    part.text += text
    part.logprobs.push(...told)
    this.#tell('response.output_text.delta', part, { delta: text, logprobs: told })
  }

  addRefusal(refusal: string): void {
    const part = this.#part('refusal')
    part.text += refusal
    this.#tell('response.refusal.delta', part, { delta: refusal })
  }

  annotate(annotation: Fields): void {
    const part = this.#part('output_text')
    const at = part.annotations.push(annotation) - 1
    this.#tell('response.output_text.annotation.added', part, {
      annotation_index: at,
      annotation,
    })
  }

  /** Ends every part; returns the content of the finished message. */
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

  #part(type: Part['type']): Part {
    const known = this.#parts.find((part) => part.type === type)
    if (known !== undefined) return known
    const part: Part = { type, index: this.#parts.length, text: '', annotations: [], logprobs: [] }
    this.#parts.push(part)
    this.#tell('response.content_part.added', part, { part: partOf(part) })
    return part
  }

  #tell(type: string, part: Part, fields: object): void {
    this.#teller.tell(type, {
      item_id: this.id,
      output_index: this.index,
      content_index: part.index,
      ...fields,
    })
  }
}

function partOf({ type, text, annotations, logprobs }: Part): Fields {
  if (type === 'refusal') return { type, refusal: text }
  return textPart(text, { annotations, logprobs: { content: logprobs, refusal: null } })
}
