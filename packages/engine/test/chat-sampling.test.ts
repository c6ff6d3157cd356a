import { describe, expect, it } from 'vitest'
import {
  drawCandidate,
  type SamplingSettings,
  weighCandidates,
} from '../src/chat/sampling/candidates.ts'
import { countTokens } from '../src/tokens.ts'
import { type Asked, chunksOf, replyTo, say } from './support/ask-chat.ts'
import { engineContext } from './support/engine-context.ts'

const sum: Asked = { messages: [{ role: 'user', content: 'What is 6 times 7?' }] }

async function texts(asked: Asked, chance = 0.5): Promise<string[]> {
  const reply = await replyTo(asked, engineContext({ random: () => chance }))
  return reply.choices.map((choice) => choice.message.content ?? '')
}

describe('sampling among wordings', () => {
  it('picks the best at temperature 0', async () => {
    for (const chance of [0, 0.3, 0.999])
      expect(await texts({ ...sum, temperature: 0 }, chance)).toEqual(['6 × 7 = 42'])
  })

  it('is deterministic for a seed and differs between seeds', async () => {
    const seeds = Array.from({ length: 20 }, (_, seed) => seed)
    const said = await Promise.all(
      seeds.map((seed) => texts({ ...sum, seed, temperature: 1.2 }, seed / 20)),
    )
    const again = await Promise.all(
      seeds.map((seed) => texts({ ...sum, seed, temperature: 1.2 }, 0.9 - seed / 30)),
    )
    expect(again).toEqual(said)
    expect(new Set(said.flat()).size).toBeGreaterThan(1)
  })

  it('never changes the fact', async () => {
    const said = await texts({ ...sum, n: 50, seed: 1, temperature: 2 })
    expect(new Set(said).size).toBeGreaterThan(2)
    for (const text of said) expect(text).toMatch(/42|forty-two/i)
  })

  it('is random without a seed', async () => {
    const said = await Promise.all(
      [0.01, 0.2, 0.4, 0.6, 0.8, 0.95].map((chance) => texts(sum, chance)),
    )
    expect(new Set(said.flat()).size).toBeGreaterThan(1)
  })

  it('keeps to the likeliest with a small top_p', async () => {
    expect(new Set(await texts({ ...sum, n: 30, seed: 1, temperature: 2, top_p: 0.1 }))).toEqual(
      new Set(['6 × 7 = 42']),
    )
  })

  it('follows logit_bias with cl100k token ids', async () => {
    // 578 is " The", 791 is "The".
    expect(await texts({ ...sum, temperature: 0, logit_bias: { 791: 100 } })).toEqual([
      'The answer is 42.',
    ])
    const said = await texts({ ...sum, n: 40, seed: 2, temperature: 2, logit_bias: { 791: -100 } })
    expect(said.some((text) => text.startsWith('The'))).toBe(false)
  })

  it('follows the penalties', () => {
    const ways = ['the cat the cat the cat', 'the cat and the dog', 'one cat saw a dog']
    const best = (changes: Partial<SamplingSettings>): string | undefined => {
      const settings = {
        temperature: 0,
        topP: 1,
        presencePenalty: 0,
        frequencyPenalty: 0,
        bias: [],
        ...changes,
      }
      return drawCandidate(weighCandidates(ways, settings), () => 0.5)?.tokens.join('')
    }
    expect(best({})).toBe(ways[0])
    expect(best({ frequencyPenalty: 2 })).toBe(ways[1])
    expect(best({ presencePenalty: 2 })).toBe(ways[1])
    expect(best({ frequencyPenalty: -2 })).toBe(ways[0])
  })

  it('does not vary dictated text', async () => {
    const dictated: Asked = {
      messages: [{ role: 'user', content: 'Reply with exactly: pong' }],
      n: 10,
      temperature: 2,
      seed: 5,
    }
    expect(new Set(await texts(dictated))).toEqual(new Set(['pong']))
  })
})

describe('stops and limits', () => {
  it.each<[Partial<Asked>, string, string]>([
    [{ max_completion_tokens: 2 }, 'One two', 'length'],
    [{ max_completion_tokens: 100 }, 'One two three four five.', 'stop'],
    [{ max_completion_tokens: 6 }, 'One two three four five.', 'stop'],
    [{ stop: [' three'] }, 'One two', 'stop'],
    [{ stop: ['five', 'our'] }, 'One two three f', 'stop'],
    [{ stop: ['One'] }, '', 'stop'],
    [{ stop: ['', 'six'] }, 'One two three four five.', 'stop'],
    [{ stop: ['three'], max_completion_tokens: 2 }, 'One two', 'length'],
    [{ stop: ['three'], max_completion_tokens: 3 }, 'One two ', 'stop'],
  ])('%j', async (more, content, finish) => {
    const reply = await replyTo({
      messages: [{ role: 'user', content: 'Say one two three four five' }],
      temperature: 0,
      ...more,
    })
    expect(reply.choices[0]).toMatchObject({ finish_reason: finish, message: { content } })
    expect(reply.usage.completion_tokens).toBe(countTokens(content))
  })

  it('truncate the arguments of a call, too', async () => {
    const tools = [
      {
        type: 'function' as const,
        function: {
          name: 'get_weather',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
          },
        },
      },
    ]
    const reply = await replyTo({
      messages: [{ role: 'user', content: 'weather in Paris' }],
      tools,
      max_completion_tokens: 4,
    })
    expect(reply.choices[0]?.finish_reason).toBe('length')
    expect(
      '{"city":"Paris"}'.startsWith(
        reply.choices[0]?.message.tool_calls?.[0]?.function?.arguments ?? 'x',
      ),
    ).toBe(true)
    expect(reply.usage.completion_tokens).toBe(4)
  })

  it('stop at 16,384 tokens', async () => {
    const reply = await replyTo({
      messages: [{ role: 'user', content: `Repeat after me: ${'pear '.repeat(30_000)}` }],
    })
    expect(reply.choices[0]?.finish_reason).toBe('length')
    expect(reply.usage.completion_tokens).toBe(16_384)
  })
})

describe('logprobs', () => {
  it('are the probabilities of the sampled tokens', async () => {
    const reply = await replyTo({ ...sum, temperature: 0, logprobs: true, top_logprobs: 5 })
    const tokens = reply.choices[0]?.logprobs?.content ?? []
    expect(tokens.map((token) => token.token).join('')).toBe(reply.choices[0]?.message.content)
    expect(tokens.map((token) => token.token)).toHaveLength(reply.usage.completion_tokens)
    for (const { token, logprob, bytes, top_logprobs: top = [] } of tokens) {
      expect(logprob).toBeLessThanOrEqual(0)
      expect(Buffer.from(bytes ?? []).toString('utf8')).toBe(token)
      expect(top.some((other) => other.token === token && other.logprob === logprob)).toBe(true)
      const total = top.reduce((all, other) => all + Math.exp(other.logprob), 0)
      expect(total).toBeGreaterThan(0.99)
      expect(total).toBeLessThan(1.01)
      expect(top.map((other) => other.logprob)).toEqual(
        top.map((other) => other.logprob).toSorted((left, right) => right - left),
      )
    }
    expect(tokens[0]?.top_logprobs?.length).toBeGreaterThan(2)
  })

  it('return the requested number of alternatives, and nothing unless requested', async () => {
    const one = await replyTo({ ...sum, temperature: 0, logprobs: true, top_logprobs: 1 })
    expect(
      one.choices[0]?.logprobs?.content?.every((token) => token.top_logprobs?.length === 1),
    ).toBe(true)
    const none = await replyTo({ ...sum, temperature: 0, logprobs: true })
    expect(
      none.choices[0]?.logprobs?.content?.every((token) => token.top_logprobs?.length === 0),
    ).toBe(true)
    expect((await replyTo(sum)).choices[0]?.logprobs).toBeNull()
  })
})

describe('usage and reasoning', () => {
  it('count the prompt once and all choices', async () => {
    const one = await replyTo({ ...sum, temperature: 0 })
    const three = await replyTo({ ...sum, temperature: 0, n: 3 })
    expect(three.choices.map((choice) => choice.index)).toEqual([0, 1, 2])
    expect(three.usage.prompt_tokens).toBe(one.usage.prompt_tokens)
    expect(three.usage.completion_tokens).toBe(3 * one.usage.completion_tokens)
    expect(three.usage.total_tokens).toBe(three.usage.prompt_tokens + three.usage.completion_tokens)
  })

  it('include reasoning if requested', async () => {
    const reply = await replyTo({ ...sum, temperature: 0, reasoning_effort: 'medium' })
    const { message } = reply.choices[0] ?? {}
    expect(message?.reasoning_content).toContain('arithmetic')
    expect(message?.content).toBe('6 × 7 = 42')
    expect(reply.usage.completion_tokens_details.reasoning_tokens).toBe(
      countTokens(message?.reasoning_content ?? ''),
    )
    expect(reply.usage.completion_tokens).toBe(
      countTokens('6 × 7 = 42') + reply.usage.completion_tokens_details.reasoning_tokens,
    )
    expect((await replyTo(sum)).choices[0]?.message.reasoning_content).toBeNull()
  })

  it('let reasoning use up the output limit', async () => {
    const reply = await replyTo({ ...sum, reasoning_effort: 'high', max_completion_tokens: 2 })
    expect(reply.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: '' } })
    expect(reply.usage.completion_tokens).toBe(2)
  })

  it('count tools and schemas as prompt', async () => {
    const tools = [
      {
        type: 'function' as const,
        function: { name: 'get_weather', description: 'Weather of a place' },
      },
    ]
    const [plain, more] = await Promise.all([replyTo(sum), replyTo({ ...sum, tools })])
    expect(more.usage.prompt_tokens).toBeGreaterThan(plain.usage.prompt_tokens + 10)
  })

  it('reject more than 128,000 tokens', async () => {
    await expect(say('word '.repeat(128_000))).rejects.toMatchObject({
      code: 'context_length_exceeded',
      details: { param: 'messages' },
    })
  })
})

describe('streams', () => {
  it.each<[string, Asked]>([
    ['text', { messages: [{ role: 'user', content: 'Say this is a test' }], seed: 4 }],
    ['several choices', { ...sum, n: 3, seed: 9, temperature: 1.5 }],
    ['a cut answer', { ...sum, max_completion_tokens: 3, seed: 1 }],
    ['reasoning', { ...sum, reasoning_effort: 'high', seed: 1 }],
    ['logprobs', { ...sum, logprobs: true, top_logprobs: 2, seed: 1, n: 2 }],
  ])('equal the whole reply: %s', async (_, asked) => {
    const reply = await replyTo(asked)
    const { chunks, usages } = await chunksOf(asked)
    expect(
      new Set(chunks.map((chunk) => `${chunk.object} ${chunk.created} ${chunk.model}`)).size,
    ).toBe(1)
    expect(chunks.every((chunk) => chunk.choices.length === 1)).toBe(true)
    for (const choice of reply.choices) {
      const own = chunks
        .flatMap((chunk) => chunk.choices)
        .filter((part) => part.index === choice.index)
      expect(own[0]?.delta).toMatchObject({ role: 'assistant', content: '' })
      expect(own.slice(1).every((part) => part.delta.role === undefined)).toBe(true)
      expect(own.map((part) => part.delta.content ?? '').join('')).toBe(choice.message.content)
      expect(own.map((part) => part.delta.reasoning_content ?? '').join('')).toBe(
        choice.message.reasoning_content ?? '',
      )
      expect(own.slice(0, -1).every((part) => part.finish_reason === null)).toBe(true)
      expect(own.at(-1)).toMatchObject({ delta: {}, finish_reason: choice.finish_reason })
      expect(own.flatMap((part) => part.logprobs?.content ?? [])).toEqual(
        choice.logprobs?.content ?? [],
      )
    }
    // The prompt's is told first, because some formats tell it in their first event.
    const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = reply.usage
    expect(usages).toHaveLength(2)
    expect(usages[0]).toMatchObject({ inputTokens, outputTokens: 0 })
    expect(usages[1]).toMatchObject({ inputTokens, outputTokens })
  })

  it('arrive word by word, choices in turn', async () => {
    const { chunks } = await chunksOf({
      messages: [{ role: 'user', content: 'Say one two three' }],
      n: 2,
      temperature: 0,
    })
    expect(chunks.map((chunk) => chunk.choices[0]?.index).slice(0, 6)).toEqual([0, 1, 0, 1, 0, 1])
    expect(
      chunks
        .filter((chunk) => chunk.choices[0]?.index === 0)
        .map((chunk) => chunk.choices[0]?.delta.content),
    ).toEqual(['', 'One', ' two', ' three', '.', undefined])
  })

  it('end when the caller disconnects', async () => {
    const leaving = new AbortController()
    leaving.abort()
    await expect(chunksOf(sum, engineContext({ signal: leaving.signal }))).rejects.toMatchObject({
      code: 'cancelled',
    })
  })
})
