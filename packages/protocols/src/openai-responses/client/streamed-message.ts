import type { ChoiceLogprobs, Fields } from '@sluice/contract'
import { assertBounded } from '../../bounded.ts'
import type { FormatContext } from '../../client-format.ts'
import type { FlatNames } from './offered-tools.ts'
import type { ResponsesRequest } from './schema.ts'
import { textPart } from './reply.ts'

/** What the output items need to write their events. */
export interface Teller {
  readonly itemId: (prefix: string) => string
  readonly callId: () => string
  readonly names: FlatNames
  readonly request: ResponsesRequest
  /** Whether the caller asked for logprobs. */
  readonly logprobs: boolean
  readonly tell: (type: string, fields: object) => void
  /** Reports what a response cannot express. */
  readonly leftOut: FormatContext['leftOut']
}

type Part = {
  readonly type: 'output_text' | 'refusal'
  readonly index: number
  text: string
  readonly annotations: Fields[]
  readonly logprobs: NonNullable<ChoiceLogprobs['content']>
}

/** The message of a streamed response. It has one text part and one refusal part; each is opened when it begins. */
export interface StreamedMessage {
  readonly id: string
  readonly index: number
  addText(text: string, logprobs: ChoiceLogprobs | null): void
  addRefusal(refusal: string): void
  annotate(annotation: Fields): void
  /** Ends every part. Returns the content of the finished message. */
  close(): readonly Fields[]
}

export function createStreamedMessage(id: string, index: number, teller: Teller): StreamedMessage {
  const parts: Part[] = []

  function tell(type: string, part: Part, fields: object): void {
    const place = { item_id: id, output_index: index, content_index: part.index }
    teller.tell(type, { ...place, ...fields })
  }

  function partOfType(type: Part['type']): Part {
    const known = parts.find((part) => part.type === type)
    if (known !== undefined) return known
    const part: Part = { type, index: parts.length, text: '', annotations: [], logprobs: [] }
    parts.push(part)
    tell('response.content_part.added', part, { part: partOf(part) })
    return part
  }

  return {
    id,
    index,
    addText(text, logprobs) {
      const part = partOfType('output_text')
      const tokens = teller.logprobs ? (logprobs?.content ?? []) : []
      part.text += text
      part.logprobs.push(...tokens)
      tell('response.output_text.delta', part, { delta: text, logprobs: tokens })
    },
    addRefusal(refusal) {
      const part = partOfType('refusal')
      part.text += refusal
      tell('response.refusal.delta', part, { delta: refusal })
    },
    annotate(annotation) {
      const part = partOfType('output_text')
      const at = part.annotations.push(annotation) - 1
      assertBounded(at, 'citations')
      tell('response.output_text.annotation.added', part, { annotation_index: at, annotation })
    },
    close: () =>
      parts.map((part) => {
        const whole = partOf(part)
        if (part.type === 'refusal') tell('response.refusal.done', part, { refusal: part.text })
        else tell('response.output_text.done', part, { text: part.text, logprobs: part.logprobs })
        tell('response.content_part.done', part, { part: whole })
        return whole
      }),
  }
}

function partOf({ type, text, annotations, logprobs }: Part): Fields {
  if (type === 'refusal') return { type, refusal: text }
  // A copy, because an event may be written after more of them have arrived.
  const content = [...logprobs]
  return textPart(text, { annotations: [...annotations], logprobs: { content, refusal: null } })
}
