import { expect, test } from 'vitest'
import type { RequestOf } from '../../contract/src/operations/index.ts'
import { embed } from '../src/embed/embed.ts'
import { openContext } from './audio-sounds.ts'

const context = openContext()

async function reply(fields: Partial<RequestOf<'embed'>>) {
  const result = await embed({ model: 'test-model', input: 'text', ...fields }, context)
  if (result.kind !== 'reply') throw new Error(`The answer is ${result.kind}`)
  return result.reply
}

async function vectors(input: readonly string[], dimensions?: number): Promise<number[][]> {
  const { data } = await reply({
    input: [...input],
    ...(dimensions === undefined ? {} : { dimensions }),
  })
  return data.map(({ embedding }) => {
    if (typeof embedding === 'string') throw new Error('The vector is base64')
    return embedding
  })
}

function dot(a: readonly number[] = [], b: readonly number[] = []): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)
}

const sentences = [
  'The cat sat on the mat.',
  'A kitten was sitting on the rug.',
  'Stock markets fell sharply today.',
  'Investors sold their shares as the market dropped.',
  'How do I reset my password?',
  'I forgot my login and need to change the password.',
  'This recipe calls for tomatoes and pasta.',
  'Cook the spaghetti, then add the tomato sauce.',
  'Astronauts fly a rocket to the moon.',
  'The spacecraft orbits the planet with two astronauts.',
  'The doctor gave the patient a new medicine.',
  'At the hospital a physician treats sick patients.',
]

test('each of a dozen sentences is nearest to the one with similar meaning', async () => {
  for (const dimensions of [256, 1536, 3072]) {
    const all = await vectors(sentences, dimensions)
    const nearest = all.map((own, i) => {
      const others = all.map((other, j) => ({ j, near: i === j ? -1 : dot(own, other) }))
      return others.toSorted((a, b) => b.near - a.near)[0]?.j
    })
    expect(nearest).toEqual([1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10])
  }
})

test.each([
  [
    'misspelt words stay near',
    'my pasword does not wrok',
    'my password does not work',
    'the weather is fine',
  ],
  ['other forms stay near', 'running runners ran', 'she runs', 'she sleeps'],
  ['case and accents do not matter', 'CAFÉ RÉSUMÉ', 'cafe resume', 'bar invoice'],
  ['scripts without spaces are read', '東京の天気は晴れです', '東京の天気', '株価が下落した'],
])('%s', async (_, text, near, far) => {
  const [own, close, distant] = await vectors([text, near, far])
  expect(dot(own, close)).toBeGreaterThan(0.25)
  expect(dot(own, close)).toBeGreaterThan(dot(own, distant) + 0.2)
})

test.each([1, 2, 100, 255, 256, 257, 512, 1024, 1536, 3071, 3072])(
  'a vector of %d dimensions has length one and is a prefix of the longest',
  async (dimensions) => {
    const [vector = []] = await vectors(['A gate across a channel of water'], dimensions)
    const [longest = []] = await vectors(['A gate across a channel of water'], 3072)
    expect(vector).toHaveLength(dimensions)
    expect(dot(vector, vector)).toBeCloseTo(1, 5)
    const beginning = longest.slice(0, dimensions)
    const length = Math.sqrt(dot(beginning, beginning))
    if (length > 0)
      for (const [i, value] of vector.entries())
        expect(value).toBeCloseTo((beginning[i] ?? 0) / length, 5)
  },
)

test('has 1,536 dimensions by default and usage with two fields', async () => {
  const answer = await reply({ input: ['one two', 'three'] })
  expect(answer).toMatchObject({
    object: 'list',
    model: 'test-model',
    data: [{ object: 'embedding', index: 0 }, { index: 1 }],
  })
  expect(answer.data[0]?.embedding).toHaveLength(1536)
  expect(Object.keys(answer.usage)).toEqual(['prompt_tokens', 'total_tokens'])
  expect(answer.usage.prompt_tokens).toBe(answer.usage.total_tokens)
})

test('base64 is little-endian float32 of the same numbers', async () => {
  const floats = await reply({ input: 'water' })
  const coded = await reply({ input: 'water', encoding_format: 'base64' })
  const bytes = Buffer.from(String(coded.data[0]?.embedding), 'base64')
  const numbers = Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4))
  expect(numbers).toEqual(floats.data[0]?.embedding)
})

test('embeds token ids like their text', async () => {
  const [text] = await vectors(['hello world'])
  for (const input of [[15339, 1917], [[15339, 1917]]]) {
    const { data } = await reply({ input })
    expect(data.map((item) => item.embedding)).toEqual([text])
  }
})

test.each([
  ['too many dimensions', { dimensions: 3073 }, 'dimensions'],
  ['an empty text', { input: '' }, 'input'],
  ['an empty text among others', { input: ['a', ''] }, 'input[1]'],
  ['a token that is none', { input: [1, 999_999_999] }, 'input[1]'],
  ['too many tokens', { input: ['a', 'word '.repeat(8193)] }, 'input[1]'],
  ['a text of megabytes', { input: 'x'.repeat(5_000_000) }, 'input'],
  [
    'too many tokens together',
    { input: Array.from({ length: 50 }, () => 'word '.repeat(7000)) },
    'input',
  ],
])('rejects %s', async (_, fields, param) => {
  await expect(reply(fields)).rejects.toMatchObject({ code: 'invalid_request', details: { param } })
})

test.each(['.', ' ', '!!!', '\u0000', '🎉', '\ud800', 'a'.repeat(8000)])(
  'any text has a vector of length one: %j',
  async (text) => {
    const [vector] = await vectors([text])
    expect(dot(vector, vector)).toBeCloseTo(1, 5)
  },
)

test('2,048 short inputs do not block the event loop', async () => {
  const input = Array.from({ length: 2048 }, (_, i) => `${sentences[i % 12]} Number ${i}.`)
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const started = performance.now()
  const all = await vectors(input)
  clearInterval(timer)
  expect(all).toHaveLength(2048)
  expect(turns).toBeGreaterThan(5)
  // Half a second on an idle core; the bound leaves room for a busy machine.
  expect(performance.now() - started).toBeLessThan(5000)
})
