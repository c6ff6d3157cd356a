import { describe, expect, it } from 'vitest'
import type {
  CompleteChunk,
  CompleteReply,
  CompleteRequest,
} from '../../contract/src/operations/complete.ts'
import { complete } from '../src/complete/complete.ts'
import { countTokens } from '../src/tokens.ts'
import { engineContext } from './support/engine-context.ts'

type Asked = Omit<CompleteRequest, 'model'>

async function replyTo(asked: Asked): Promise<CompleteReply> {
  const result = await complete({ model: 'builtin-chat', ...asked }, engineContext())
  if (result.kind !== 'reply') throw new Error(`Expected a reply, got ${result.kind}`)
  return result.reply
}

async function textOf(asked: Asked): Promise<string | undefined> {
  return (await replyTo({ temperature: 0, ...asked })).choices[0]?.text
}

async function chunksOf(asked: Asked) {
  const result = await complete({ model: 'builtin-chat', ...asked, stream: true }, engineContext())
  if (result.kind !== 'events') throw new Error(`Expected events, got ${result.kind}`)
  const chunks: CompleteChunk[] = []
  for await (const step of result.events) if ('event' in step) chunks.push(step.event)
  return chunks
}

describe('a prompt with a question or an instruction', () => {
  it.each([
    ['2 + 2 =', ' 4'],
    ['Q: What is 3+3?\nA:', ' 6'],
    ['Say this is a test', 'This is a test.'],
    ['The shop is in Oslo.\n\nQ: Where is the shop?\nA:', ' The shop is in Oslo.'],
  ])('%j', async (prompt, answered) => {
    expect(await textOf({ prompt })).toBe(answered)
  })
})

describe('a prompt to continue', () => {
  it('is continued by its own repetition, without repeating itself', async () => {
    expect(
      await textOf({ prompt: 'The capital of France is Paris. The capital of', max_tokens: 4 }),
    ).toBe(' France is Paris.')
    const reply = await replyTo({ prompt: 'red green blue red green', max_tokens: 50 })
    expect(reply.choices[0]).toMatchObject({ text: ' blue red green', finish_reason: 'stop' })
  })

  it.each(['Once upon a time', 'Once upon a time there was a king', 'one two three', 'a'])(
    'is answered with a note that a model is needed: %s',
    async (prompt) => {
      const text = await textOf({ prompt, max_tokens: 100 })
      expect(text).toMatch(/^ .*built-in engine.*language model/)
      const words = text?.split(' ') ?? []
      const triples = words.slice(2).map((_, at) => words.slice(at, at + 3).join(' '))
      expect(new Set(triples).size).toBe(triples.length)
    },
  )

  it('gets 16 tokens by default, with finish_reason length', async () => {
    const reply = await replyTo({ prompt: 'Once upon a time there was a king', temperature: 0 })
    expect(reply.choices[0]?.finish_reason).toBe('length')
    expect(reply.usage.completion_tokens).toBe(16)
    const short = await replyTo({ prompt: 'Once upon a time', max_tokens: 5 })
    expect(short.choices[0]?.finish_reason).toBe('length')
    expect(short.usage.completion_tokens).toBe(5)
  })

  it('reports the dropped suffix', async () => {
    const leftOut: string[] = []
    const context = engineContext({ leftOut: (param) => leftOut.push(param) })
    await complete({ model: 'builtin-chat', prompt: 'one two', suffix: 'four' }, context)
    expect(leftOut).toEqual(['suffix'])
  })

  it('is the same for the same seed and may differ between seeds', async () => {
    const seeds = [1, 2, 3, 4, 5, 6, 7, 8]
    const asked = (seed: number): Asked => ({ prompt: 'Once upon a time', seed, temperature: 1.5 })
    const ask = () =>
      Promise.all(seeds.map(async (seed) => (await replyTo(asked(seed))).choices[0]?.text))
    const texts = await ask()
    expect(await ask()).toEqual(texts)
    expect(new Set(texts).size).toBeGreaterThan(1)
  })

  it('stops at a stop sequence', async () => {
    const reply = await replyTo({
      prompt: 'Reply with exactly: blue red green',
      temperature: 0,
      stop: [' green'],
      max_tokens: 10,
    })
    expect(reply.choices[0]).toMatchObject({ text: 'blue red', finish_reason: 'stop' })
  })
})

describe('prompt formats', () => {
  it('accepts strings, lists of strings, token ids and lists of token ids', async () => {
    expect(
      (await replyTo({ prompt: ['1 + 1 =', '2 + 2 ='] })).choices.map((choice) => choice.text),
    ).toEqual([' 2', ' 4'])
    expect(
      (await replyTo({ prompt: [9906, 1917], echo: true, max_tokens: 0 })).choices[0]?.text,
    ).toBe('Hello world')
    expect(
      (await replyTo({ prompt: [[9906], [1917]], echo: true, max_tokens: 0 })).choices.map(
        (choice) => choice.text,
      ),
    ).toEqual(['Hello', ' world'])
  })

  it('numbers the choices by prompt, then by sample', async () => {
    const reply = await replyTo({ prompt: ['1 + 1 =', '2 + 2 =', '3 + 3 ='], n: 2 })
    expect(reply.choices.map((choice) => choice.index)).toEqual([0, 1, 2, 3, 4, 5])
    expect(reply.choices.map((choice) => choice.text)).toEqual([' 2', ' 2', ' 4', ' 4', ' 6', ' 6'])
  })

  it('counts all samples of best_of and returns n of them', async () => {
    const reply = await replyTo({
      prompt: 'Once upon a time',
      n: 2,
      best_of: 5,
      max_tokens: 3,
      seed: 1,
    })
    expect(reply.choices).toHaveLength(2)
    expect(reply.usage.completion_tokens).toBe(15)
  })

  it('rejects an unknown token id by its path, and a prompt that is too long', async () => {
    await expect(replyTo({ prompt: [[9906], [9_999_999]] })).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: 'prompt[1][0]' },
    })
    await expect(replyTo({ prompt: 'word '.repeat(130_000) })).rejects.toMatchObject({
      code: 'context_length_exceeded',
      details: { param: 'prompt' },
    })
    await expect(
      replyTo({ prompt: Array.from({ length: 100 }, () => 'a'), n: 128 }),
    ).rejects.toMatchObject({ code: 'invalid_request', details: { param: 'n' } })
  })
})

describe('echo and logprobs', () => {
  it('echo puts the prompt first', async () => {
    expect(await textOf({ prompt: '2 + 2 =', echo: true })).toBe('2 + 2 = 4')
  })

  it('scores the prompt with a null logprob for the first token', async () => {
    const prompt = 'the cat and the cat'
    const reply = await replyTo({ prompt, echo: true, max_tokens: 0, logprobs: 2 })
    const [choice] = reply.choices
    expect(choice).toMatchObject({ text: prompt, finish_reason: 'length' })
    const tokens = choice?.logprobs?.tokens ?? []
    expect(tokens.join('')).toBe(prompt)
    expect(choice?.logprobs?.token_logprobs[0]).toBeNull()
    expect(choice?.logprobs?.top_logprobs?.[0]).toBeNull()
    for (const [index, offset] of (choice?.logprobs?.text_offset ?? []).entries())
      expect(prompt.startsWith(tokens[index]!, offset)).toBe(true)
    // " cat" stood there before; " and" came unforeseen.
    const [, first = 0, and = 0, , second = 0] = choice?.logprobs?.token_logprobs ?? []
    expect(second ?? 0).toBeGreaterThan(Math.max(first ?? 0, and ?? 0))
  })

  it('returns logprobs of its choices', async () => {
    const reply = await replyTo({ prompt: 'a b a c a', max_tokens: 4, logprobs: 5, temperature: 0 })
    const { logprobs, text } = reply.choices[0] ?? {}
    expect(logprobs?.tokens.join('')).toBe(text)
    for (const [index, token] of (logprobs?.tokens ?? []).entries()) {
      const top = logprobs?.top_logprobs?.[index] ?? {}
      expect(top[token]).toBe(logprobs?.token_logprobs[index])
      expect(Object.values(top).reduce((sum, logprob) => sum + Math.exp(logprob), 0)).toBeLessThan(
        1.0001,
      )
    }
    expect((await replyTo({ prompt: 'a b' })).choices[0]?.logprobs).toBeNull()
    expect(
      (await replyTo({ prompt: 'a b', logprobs: 0 })).choices[0]?.logprobs?.top_logprobs,
    ).toBeNull()
  })
})

describe('streams', () => {
  it.each<[string, Asked]>([
    ['an answer', { prompt: 'Say this is a test', seed: 3 }],
    ['a continuation with its prompt', { prompt: 'a b a c a', echo: true, logprobs: 3, seed: 3 }],
    ['several', { prompt: ['a b a c a', '2 + 2 ='], n: 2, seed: 3, max_tokens: 5 }],
  ])('equal the whole reply: %s', async (_, asked) => {
    const reply = await replyTo(asked)
    const chunks = await chunksOf(asked)
    for (const choice of reply.choices) {
      const own = chunks
        .flatMap((chunk) => chunk.choices)
        .filter((part) => part.index === choice.index)
      expect(own.map((part) => part.text).join('')).toBe(choice.text)
      expect(own.flatMap((part) => part.logprobs?.tokens ?? [])).toEqual(
        choice.logprobs?.tokens ?? [],
      )
      expect(own.flatMap((part) => part.logprobs?.text_offset ?? [])).toEqual(
        choice.logprobs?.text_offset ?? [],
      )
      expect(own.at(-1)?.finish_reason).toBe(choice.finish_reason)
      expect(own.length).toBeGreaterThan(1)
    }
  })
})

it('counts prompt and completion tokens', async () => {
  const reply = await replyTo({
    prompt: 'The capital of France is Paris. The capital of',
    temperature: 0,
    max_tokens: 4,
  })
  expect(reply.usage).toMatchObject({
    prompt_tokens: countTokens('The capital of France is Paris. The capital of'),
    completion_tokens: 4,
  })
})

it('computes a long prompt in a worker', async () => {
  const { workers, ...rest } = engineContext()
  const ran: string[] = []
  const counted: typeof workers = {
    ...workers,
    run(task, ...given) {
      ran.push(task)
      return workers.run(task, ...given)
    },
  }
  const asked = async (prompt: string) => {
    const request = { model: 'builtin-chat', prompt, temperature: 0, echo: true }
    const result = await complete(request, { ...rest, workers: counted })
    return result.kind === 'reply' ? (result.reply.choices[0]?.text ?? '') : ''
  }
  const long = 'What is 6 times 7? '.repeat(1000)
  const answer = (await asked('What is 6 times 7? ')).slice('What is 6 times 7? '.length)
  expect(ran).toEqual([])
  expect(answer).toContain('42')
  expect(await asked(long)).toBe(long + answer)
  expect(ran).toEqual(['composeSentCompletion'])
})
