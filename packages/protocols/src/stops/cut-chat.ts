import type {
  AnswerMessage,
  ChatChunk,
  ChatReply,
  ChoiceLogprobs,
  Fields,
  Step,
  TokenLogprob,
} from '@sluice/contract'
import { countOf, isObject, objectOf } from '@sluice/contract'
import { placedTexts } from '../text-places.ts'
import {
  CutChoice,
  joinedParts,
  type OpenChoice,
  OpenChoices,
  type TextToken,
  type ToldPart,
} from './cut-choice.ts'

type Choice = ChatReply['choices'][number]
type ChunkChoice = ChatChunk['choices'][number]
type Steps = readonly Step<ChatChunk>[]

/** A response with the text of each choice cut at the first of the sequences, as a model would have ended it there. */
export function cutChatReply(reply: ChatReply, words: readonly string[]): ChatReply {
  const choices = reply.choices.map((choice) => cutWhole(choice, words))
  const isSame = choices.every((choice, index) => choice === reply.choices[index])
  return isSame ? reply : { ...reply, choices }
}

/** Only the text is searched: neither reasoning nor the arguments of calls. */
function cutWhole(choice: Choice, words: readonly string[]): Choice {
  const { message, logprobs } = choice
  const cut = new CutChoice<TokenLogprob>(words)
  const tokens = tokensOf(logprobs)
  let part: ToldPart<TokenLogprob> = { text: '', items: [] }
  for (const [index, { text, calls }] of placedTexts(message).entries()) {
    part = joinedParts(part, cut.push(text, index === 0 ? tokens : []), cut.flush())
    if (cut.matched === undefined) continue
    return {
      ...choice,
      message: { ...shortened(message, part.text.length, calls), content: part.text },
      finish_reason: 'stop',
      stop_sequence: cut.matched,
      logprobs: logprobs && { ...logprobs, content: logprobs.content && [...part.items] },
    }
  }
  return choice
}

/** The message without what would have come behind the end of its text. */
function shortened(message: AnswerMessage, length: number, calls: number): AnswerMessage {
  const { tool_calls: all, text_places: places, annotations, ...rest } = message
  const kept = all?.slice(0, calls)
  const before = places?.filter(({ start }) => start < length)
  const cited = annotations?.filter((annotation) => endOf(annotation) <= length)
  return {
    ...rest,
    ...(kept?.length ? { tool_calls: kept } : {}),
    ...(before?.length ? { text_places: before } : {}),
    ...(cited?.length ? { annotations: cited } : {}),
  }
}

function endOf(annotation: Fields): number {
  const nested = Object.values(annotation).find(isObject)
  return countOf(objectOf(nested)['end_index']) ?? 0
}

function tokensOf(logprobs: ChoiceLogprobs | null | undefined): readonly TextToken<TokenLogprob>[] {
  return (logprobs?.content ?? []).map((item) => ({ length: item.token.length, item }))
}

/** The same for a stream. What an upstream sends behind the end of a choice is read for its usage and not passed on. */
export class ChatCutter {
  readonly #open: OpenChoices<TokenLogprob>
  #last: ChatChunk | undefined

  constructor(words: readonly string[]) {
    this.#open = new OpenChoices(words)
  }

  read(steps: Steps): Steps {
    return steps.flatMap((step) => ('usage' in step ? [step] : this.#readChunk(step.event)))
  }

  /** What is held back of choices that ended without a reason. */
  end(): Steps {
    const { choices: _, ...head } = this.#last ?? {}
    if (this.#last === undefined) return []
    return [...this.#open].flatMap(([index, open]) => {
      const ending = open.isOver ? [] : this.#ended({ index, delta: {}, finish_reason: null }, open)
      return ending.map((choice) => ({ event: { ...head, choices: [choice] } as ChatChunk }))
    })
  }

  #readChunk(chunk: ChatChunk): Steps {
    this.#last = chunk
    if (chunk.choices.length === 0) return [{ event: chunk }]
    const cut = chunk.choices.map((choice) => this.#readChoice(choice))
    if (cut.every((own, index) => own.length === 1 && own[0] === chunk.choices[index]))
      return [{ event: chunk }]
    return cut.flat().map((choice) => ({ event: { ...chunk, choices: [choice] } }))
  }

  #readChoice(choice: ChunkChoice): readonly ChunkChoice[] {
    const open = this.#open.of(choice.index)
    if (open.isOver) return []
    const { delta, finish_reason: finish } = choice
    if (finish !== null) return this.#ended(choice, open)
    const text = delta.content ?? ''
    const { cut } = open
    // Before a call, the text ends; what follows is another one.
    const before = delta.tool_calls === undefined || text !== '' ? [] : [cut.flush()]
    const part = joinedParts(...before, cut.push(text, tokensOf(choice.logprobs)))
    if (cut.matched !== undefined) return this.#cutAt(choice, part, open)
    if (part.text === text && isSame(part.items, choice.logprobs?.content ?? [])) return [choice]
    const { content: _, ...others } = delta
    const isEmpty = part.text === '' && Object.keys(others).length === 0
    return isEmpty ? [] : [withPart({ ...choice, delta: others }, part)]
  }

  /** The held text comes before the reason for the end. */
  #ended(choice: ChunkChoice, open: OpenChoice<TokenLogprob>): readonly ChunkChoice[] {
    const { cut } = open
    const part = joinedParts(
      cut.push(choice.delta.content ?? '', tokensOf(choice.logprobs)),
      cut.flush(),
    )
    open.isOver = true
    if (cut.matched !== undefined) return this.#cutAt(choice, part, open)
    const { content: _, ...others } = choice.delta
    const text: ChunkChoice = {
      index: choice.index,
      delta: {},
      finish_reason: null,
      logprobs: choice.logprobs ?? null,
    }
    const last = { ...choice, delta: others, logprobs: null }
    const rest = choice.finish_reason === null ? [] : [last]
    return part.text === '' ? rest : [withPart(text, part), ...rest]
  }

  #cutAt(
    choice: ChunkChoice,
    part: ToldPart<TokenLogprob>,
    open: OpenChoice<TokenLogprob>,
  ): readonly ChunkChoice[] {
    open.isOver = true
    const { index, delta, logprobs } = choice
    const {
      content: _,
      tool_calls: _calls,
      annotations: _sources,
      images: _images,
      ...others
    } = delta
    const isEmpty = part.text === '' && Object.keys(others).length === 0
    const text: ChunkChoice = {
      index,
      delta: others,
      finish_reason: null,
      logprobs: logprobs ?? null,
    }
    const stop: ChunkChoice = {
      index,
      delta: {},
      finish_reason: 'stop',
      logprobs: null,
      ...(open.cut.matched !== undefined && { stop_sequence: open.cut.matched }),
    }
    return isEmpty ? [stop] : [withPart(text, part), stop]
  }
}

function isSame(items: readonly TokenLogprob[], others: readonly TokenLogprob[]): boolean {
  return items.length === others.length && items.every((item, index) => item === others[index])
}

function withPart(choice: ChunkChoice, { text, items }: ToldPart<TokenLogprob>): ChunkChoice {
  const { delta, logprobs } = choice
  const known = logprobs ?? (items.length > 0 ? { content: null, refusal: null } : null)
  return {
    ...choice,
    delta: text === '' ? delta : { ...delta, content: text },
    logprobs: known && { ...known, content: items.length === 0 ? null : [...items] },
  }
}
