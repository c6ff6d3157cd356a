// Cutting a text at stop sequences: what is told of a stream is what is told of the whole, however it is split.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import '../../../test/support/property-limits.ts'
import type { ChatChunk, ChatReply } from '../../contract/src/operations/chat.ts'
import type { CompleteChunk, CompleteReply } from '../../contract/src/operations/complete.ts'
import { ChatCutter, cutChatReply } from '../src/stops/cut-chat.ts'
import { CompletionCutter, cutCompletion } from '../src/stops/cut-completion.ts'
import { StopSearch } from '../src/stops/stop-search.ts'

/** The first place of any word, and of several words there the shortest. */
function plainCut(text: string, words: readonly string[]) {
  const found = words
    .filter((word) => word !== '' && text.includes(word))
    .map((word) => ({ word, start: text.indexOf(word) }))
    .toSorted((a, b) => a.start - b.start || a.word.length - b.word.length)
  const [first] = found
  return first ? { text: text.slice(0, first.start), matched: first.word } : { text }
}

function searched(pieces: readonly string[], words: readonly string[]) {
  const search = new StopSearch(words)
  const longest = Math.max(0, ...words.map((word) => word.length))
  let told = ''
  let came = ''
  for (const piece of pieces) {
    told += search.push(piece)
    came += piece
    if (search.matched === undefined) expect(came.length - told.length).toBeLessThan(longest || 1)
  }
  told += search.flush()
  return search.matched === undefined ? { text: told } : { text: told, matched: search.matched }
}

describe('a search for stop sequences', () => {
  it.each<[readonly string[], readonly string[], object]>([
    [['one', '\n', '\ntwo'], ['\n\n'], { text: 'one', matched: '\n\n' }],
    [['one\n', 'two\n\n'], ['\n\n'], { text: 'one\ntwo', matched: '\n\n' }],
    [['ab', 'ab', 'abc'], ['ababc'], { text: 'ab', matched: 'ababc' }],
    [['abc', 'x'], ['bc', 'abcd'], { text: 'a', matched: 'bc' }],
    [['abc', 'd'], ['bc', 'abcd'], { text: '', matched: 'abcd' }],
    [['abc', 'd'], ['ab', 'abcd'], { text: '', matched: 'ab' }],
    [['abc'], ['bc', 'abcd'], { text: 'a', matched: 'bc' }],
    [['EN', 'DING'], ['END'], { text: '', matched: 'END' }],
    [['EN', 'D'], ['ENDS'], { text: 'END' }],
    [['a🗼', 'b'], ['🗼b'], { text: 'a', matched: '🗼b' }],
    [['a'], [''], { text: 'a' }],
  ])('of %j for %j: %j', (pieces, words, expected) => {
    expect(searched(pieces, words)).toEqual(expected)
  })

  it('property: returns the same however the text is split', () => {
    const letters = fc.constantFrom('a', 'b', 'ab', '\n')
    const text = fc.array(letters, { maxLength: 30 }).map((all) => all.join(''))
    const words = fc.array(
      fc.array(letters, { maxLength: 4 }).map((all) => all.join('')),
      { maxLength: 4 },
    )
    const pieces = fc.array(text, { maxLength: 8 })
    fc.assert(
      fc.property(pieces, words, (given, stops) => {
        expect(searched(given, stops)).toEqual(plainCut(given.join(''), stops))
      }),
    )
  })
})

const head = { id: 'c', created: 1, model: 'm', system_fingerprint: null }
const logprobs = (tokens: readonly string[]) => ({
  content: tokens.map((token) => ({ token, logprob: 0, bytes: null })),
  refusal: null,
})

function reply(texts: readonly (readonly string[])[]): ChatReply {
  return {
    ...head,
    object: 'chat.completion',
    choices: texts.map((tokens, index) => ({
      index,
      message: { role: 'assistant', content: tokens.join(''), refusal: null },
      finish_reason: 'length',
      logprobs: logprobs(tokens),
    })),
  } as unknown as ChatReply
}

function chunks(texts: readonly (readonly string[])[]): readonly ChatChunk[] {
  const chunk = (index: number, rest: object): ChatChunk =>
    ({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index, finish_reason: null, ...rest }],
    }) as unknown as ChatChunk
  const longest = Math.max(0, ...texts.map(({ length }) => length))
  const tokens = Array.from({ length: longest }, (_, at) =>
    texts.flatMap((own, index) => {
      const token = own[at]
      if (token === undefined) return []
      return [chunk(index, { delta: { content: token }, logprobs: logprobs([token]) })]
    }),
  )
  return [
    ...tokens.flat(),
    ...texts.map((_, index) => chunk(index, { delta: {}, finish_reason: 'length' })),
  ]
}

interface Read {
  text: string
  finish: string | null
  stop: string | null
  tokens: string[]
}

function readChunks(all: readonly ChatChunk[]): readonly Read[] {
  const read: Read[] = []
  for (const { choices } of all)
    for (const { index, delta, finish_reason: finish, logprobs: told, ...rest } of choices) {
      const own = (read[index] ??= { text: '', finish: null, stop: null, tokens: [] })
      expect(own.finish).toBeNull()
      own.text += delta.content ?? ''
      own.finish = finish
      own.stop = rest.stop_sequence ?? null
      own.tokens.push(...(told?.content ?? []).map(({ token }) => token))
    }
  return read
}

function readReply({ choices }: ChatReply): readonly Read[] {
  return choices.map(({ message, finish_reason: finish, logprobs: told, stop_sequence: stop }) => ({
    text: message.content ?? '',
    finish,
    stop: stop ?? null,
    tokens: (told?.content ?? []).map(({ token }) => token),
  }))
}

const anyTexts = fc.array(
  fc.array(fc.constantFrom('a', 'b', 'ab', '\n', 'END'), { minLength: 1, maxLength: 12 }),
  { minLength: 1, maxLength: 3 },
)
const anyWords = fc.uniqueArray(fc.constantFrom('\n\n', 'aba', 'END', 'bEN', 'bb\n'), {
  minLength: 1,
})

describe('a chat response', () => {
  it('property: is cut the same streamed and whole, per choice, with logprobs', () => {
    fc.assert(
      fc.property(anyTexts, anyWords, (texts, words) => {
        const cutter = new ChatCutter(words)
        const steps = [
          ...cutter.read(chunks(texts).map((event) => ({ event }))),
          ...cutter.end(),
        ].flatMap((step) => ('event' in step ? [step.event] : []))
        const whole = readReply(cutChatReply(reply(texts), words))
        expect(readChunks(steps)).toEqual(whole)
        for (const [index, tokens] of texts.entries()) {
          const cut = plainCut(tokens.join(''), words)
          expect(whole[index]?.text).toBe(cut.text)
          expect(whole[index]?.finish).toBe(cut.matched === undefined ? 'length' : 'stop')
          expect(whole[index]?.stop).toBe(cut.matched ?? null)
        }
      }),
    )
  })

  it('drops only what follows the end of its text', () => {
    const call = { id: 'c', type: 'function' as const, function: { name: 'f', arguments: 'END' } }
    const [choice] = reply([['one ', 'END', ' two']]).choices
    const whole = {
      ...reply([]),
      choices: [
        {
          ...choice!,
          message: {
            ...choice!.message,
            reasoning_content: 'END',
            tool_calls: [call],
            annotations: [
              { type: 'url_citation', url_citation: { start_index: 0, end_index: 3 } },
              { type: 'url_citation', url_citation: { start_index: 4, end_index: 9 } },
            ],
          },
        },
      ],
    }
    const [cut] = cutChatReply(whole, ['END']).choices
    expect(cut?.message).toEqual({
      role: 'assistant',
      content: 'one ',
      refusal: null,
      reasoning_content: 'END',
      annotations: [{ type: 'url_citation', url_citation: { start_index: 0, end_index: 3 } }],
    })
    expect(cutChatReply(whole, ['four'])).toBe(whole)
  })

  it('keeps usage after its end', () => {
    const usage = { inputTokens: 1, outputTokens: 9 }
    const cutter = new ChatCutter(['END'])
    const [event] = chunks([['one END', ' two']])
    expect(cutter.read([{ event: event! }])).toHaveLength(2)
    expect(cutter.read([...chunks([['two']]).map((each) => ({ event: each })), { usage }])).toEqual(
      [{ usage }],
    )
  })
})

describe('a text completion', () => {
  const lists = (tokens: readonly string[]) => ({
    tokens: [...tokens],
    token_logprobs: tokens.map(() => 0),
    top_logprobs: null,
    text_offset: tokens.map((_, index) => tokens.slice(0, index).join('').length),
  })

  it('property: is cut the same streamed and whole', () => {
    fc.assert(
      fc.property(anyTexts, anyWords, (texts, words) => {
        const choices = texts.map((tokens, index) => ({
          index,
          text: tokens.join(''),
          logprobs: lists(tokens),
          finish_reason: 'length',
        }))
        const whole = cutCompletion({ ...head, choices } as unknown as CompleteReply, words)
        const cutter = new CompletionCutter(words)
        const events = texts.flatMap((tokens, index) => [
          ...tokens.map((text) => ({ index, text, logprobs: lists([text]), finish_reason: null })),
          { index, text: '', logprobs: null, finish_reason: 'length' },
        ])
        const told = cutter
          .read(
            events.map((choice) => ({
              event: { ...head, choices: [choice] } as unknown as CompleteChunk,
            })),
          )
          .flatMap((step) => ('event' in step ? step.event.choices : []))
        expect(cutter.end()).toEqual([])
        for (const { index, text, finish_reason: finish, logprobs: tokens } of whole.choices) {
          const own = told.filter((choice) => choice.index === index)
          expect(own.map((choice) => choice.text).join('')).toBe(text)
          expect(own.at(-1)?.finish_reason).toBe(finish)
          expect(own.flatMap((choice) => choice.logprobs?.tokens ?? [])).toEqual(tokens?.tokens)
        }
      }),
    )
  })
})
