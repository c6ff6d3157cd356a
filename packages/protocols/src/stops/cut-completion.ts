import type { CompleteChunk, CompleteReply, Step } from '@sluice/contract'
import { CutChoice, joinedParts, OpenChoices, type TextToken, type ToldPart } from './cut-choice.ts'

type Choice = CompleteReply['choices'][number]
type ChunkChoice = CompleteChunk['choices'][number]
type Steps = readonly Step<CompleteChunk>[]
type Logprobs = NonNullable<Choice['logprobs']>

/** The index of a token in the lists of a choice's logprobs. */
interface Token {
  readonly of: Logprobs
  readonly index: number
}

/** A response with each text cut at the first of the sequences, as a model would have ended it there. */
export function cutCompletion(reply: CompleteReply, words: readonly string[]): CompleteReply {
  return {
    ...reply,
    choices: reply.choices.map((choice) => {
      const cut = new CutChoice<Token>(words)
      const part = joinedParts(cut.push(choice.text, tokensOf(choice.logprobs)), cut.flush())
      if (cut.matched === undefined) return choice
      return { ...choice, ...toldOf(part, choice.logprobs), finish_reason: 'stop' }
    }),
  }
}

function tokensOf(logprobs: Choice['logprobs'] | undefined): readonly TextToken<Token>[] {
  if (!logprobs) return []
  return logprobs.tokens.map((token, index) => ({
    length: token.length,
    item: { of: logprobs, index },
  }))
}

function toldOf(
  { text, items }: ToldPart<Token>,
  given: Choice['logprobs'] | undefined,
): Pick<Choice, 'text' | 'logprobs'> {
  if (!given && items.length === 0) return { text, logprobs: null }
  const all = <T>(list: (logprobs: Logprobs) => readonly T[] | null | undefined): T[] =>
    items.flatMap(({ of, index }) => list(of)?.slice(index, index + 1) ?? [])
  const tops = all((of) => of.top_logprobs)
  return {
    text,
    logprobs: {
      tokens: all((of) => of.tokens),
      token_logprobs: all((of) => of.token_logprobs),
      top_logprobs: tops.length > 0 ? tops : null,
      text_offset: all((of) => of.text_offset),
    },
  }
}

/** The same for a stream. */
export class CompletionCutter {
  readonly #open: OpenChoices<Token>
  #last: CompleteChunk | undefined

  constructor(words: readonly string[]) {
    this.#open = new OpenChoices(words)
  }

  read(steps: Steps): Steps {
    return steps.flatMap((step): Steps => {
      if ('usage' in step) return [step]
      this.#last = step.event
      const choices = step.event.choices.flatMap((choice) => this.#readChoice(choice))
      return choices.length === 0 ? [] : [{ event: { ...step.event, choices } }]
    })
  }

  /** What is held back of choices that ended without a reason. */
  end(): Steps {
    const last = this.#last
    if (last === undefined) return []
    const choices = [...this.#open].flatMap(([index, { cut, isOver }]) => {
      const part = isOver ? { text: '', items: [] } : cut.flush()
      if (part.text === '' && cut.matched === undefined) return []
      if (isOver) return []
      const finish = cut.matched === undefined ? null : ('stop' as const)
      return [{ index, ...toldOf(part, null), finish_reason: finish }]
    })
    return choices.length === 0 ? [] : [{ event: { ...last, choices } }]
  }

  #readChoice(choice: ChunkChoice): readonly ChunkChoice[] {
    const open = this.#open.of(choice.index)
    if (open.isOver) return []
    const { cut } = open
    const { finish_reason: finish } = choice
    const pushed = cut.push(choice.text, tokensOf(choice.logprobs))
    const part = finish === null ? pushed : joinedParts(pushed, cut.flush())
    const isCut = cut.matched !== undefined
    open.isOver = isCut || finish !== null
    if (part.text === '' && !open.isOver) return []
    return [{ ...choice, ...toldOf(part, choice.logprobs), finish_reason: isCut ? 'stop' : finish }]
  }
}
