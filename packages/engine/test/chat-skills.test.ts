import { describe, expect, it } from 'vitest'
import { say } from './support/ask-chat.ts'

type Table = readonly (readonly [asked: string, answered: string])[]

/** Each table is a skill; each row a request and the whole answer at temperature 0. */
const tables: Readonly<Record<string, Table>> = {
  dictated: [
    ['Say this is a test', 'This is a test.'],
    ['Reply with exactly: Hello, world.', 'Hello, world.'],
    ['Reply with the word "banana" and nothing else.', 'banana'],
    ['Reply with OK.', 'OK'],
    ['Please respond with only the word pong.', 'pong'],
    ['Repeat after me: hello there', 'hello there'],
    ['echo foo bar', 'Foo bar.'],
    ['This is a connectivity test. Reply with "ready".', 'ready'],
  ],
  arithmetic: [
    ['What is 2+2?', '2 + 2 = 4'],
    ['What is 0.1 + 0.2?', '0.1 + 0.2 = 0.3'],
    ['Calculate 12 * (3 + 4)', '12 × (3 + 4) = 84'],
    ['What is 15% of 80?', '15% of 80 = 12'],
    ['What is 10 divided by 4?', '10 ÷ 4 = 2.5'],
    ['What is 10 / 3?', '10 ÷ 3 ≈ 3.33333333333'],
    ['What is 1 / 0?', '1 ÷ 0 has no result, since nothing can be divided by zero.'],
    ['If I compute 12 * (3+4), what do I get?', '12 × (3 + 4) = 84'],
    ["What's 10/4?", '10 ÷ 4 = 2.5'],
    ['What is -3 - 4?', '-3 - 4 = -7'],
    ['What is 1,000 minus 1?', '1000 - 1 = 999'],
    ['Please tell me what 30 percent of 20 is', '30% of 20 = 6'],
    ['What is 123456789 * 987654321?', '123456789 × 987654321 ≈ 121932631113000000'],
  ],
  summarise: [
    [
      'Summarize the following text in one sentence: The cat sat on the mat. The cat was happy on the mat because the mat was warm. Dogs bark.',
      'The cat sat on the mat.',
    ],
  ],
  question: [
    ["Alice has a red car. What colour is Alice's car?", 'Alice has a red car.'],
    ['Is the sky green? The sky is blue today.', 'The sky is blue today.'],
    ['Ada was born in London. Who invented the telephone?', 'The text does not say this.'],
  ],
  'manners of answering': [['What is 6 times 7? Reply with only the number.', '42']],
}

for (const [skill, table] of Object.entries(tables))
  describe(skill, () => {
    it.each(table)('%s', async (asked, answered) => {
      expect(await say(asked)).toBe(answered)
    })
  })

describe('questions that no skill answers', () => {
  it.each([
    'Write a poem about the sea',
    'What is the capital of France?',
    'tell me a joke',
    'asdf',
    // The rest of an expression is not computed without what stands in front of it or behind it.
    'What is the square root of 16 + 2?',
    'What is 2^10 + 5?',
    'What is twelve minus 5 plus 3?',
    'What is 5 + 2 million?',
    'What is 50 + 10%?',
    'What is 3! + 2?',
    'What is 1e3 + 2?',
    'What is sin(2) + 2?',
    'The trip from 2024-01-05 to 2024-02-05',
  ])('%s', async (asked) => {
    const answer = await say(asked)
    expect(answer).toContain('without neural weights')
    expect(answer).toContain('OPENAI_API_KEY')
    expect(answer).toContain('sluice.yaml')
  })
})

describe('summaries', () => {
  const text = `Bees live in colonies. A colony of bees has one queen and thousands of workers. The workers collect nectar and
make honey for the colony. Flowers depend on bees. In winter the colony lives on honey. The weather was mild.`

  it('contain only sentences of the text', async () => {
    const answer = await say(`Summarize the following text in two sentences.\n\n${text}`)
    for (const sentence of answer.split(/(?<=\.) /))
      expect(text.replace(/\n/g, ' ')).toContain(sentence)
  })
})
