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
    ['say hello three times', 'hello hello hello'],
    ['Say hello to Bob', 'Hello, Bob!'],
    ['echo foo bar', 'Foo bar.'],
    ['This is a connectivity test. Reply with "ready".', 'ready'],
  ],
  arithmetic: [
    ['What is 2+2?', '2 + 2 = 4'],
    ['What is 0.1 + 0.2?', '0.1 + 0.2 = 0.3'],
    ['Calculate 12 * (3 + 4)', '12 × (3 + 4) = 84'],
    ['what is twelve plus 30', '12 + 30 = 42'],
    ['What is 15% of 80?', '15% of 80 = 12'],
    ['2^100', '2^100 = 1267650600228229401496703205376'],
    ['What is 10 divided by 4?', '10 ÷ 4 = 2.5'],
    ['What is 10 / 3?', '10 ÷ 3 ≈ 3.33333333333'],
    ['What is the square root of 144?', '√144 = 12'],
    ['Calculate 3 factorial', '3! = 6'],
    ['What is 1 / 0?', '1 ÷ 0 has no result, since nothing can be divided by zero.'],
    ["What's 10% off 50?", '50 - 10% = 45'],
    ['What is a 20% tip on $50?', '20% of 50 = 10'],
    ['How much is the 8% sales tax on $200?', '8% of 200 = 16'],
    ['What is a 10% discount on $90?', '10% of 90 = 9'],
    ['What is the total with a 20% tip on $50?', '50 + 20% = 60'],
    ['What do I pay after a 10% discount on $90?', '90 - 10% = 81'],
    ['20 is what percent of 80?', '20 is 25% of 80.'],
    ["What's the average of 3, 5 and 10?", 'The average of 3, 5, 10 is 6.'],
    ['Add 3, 4 and 5', 'The sum of 3, 4, 5 is 12.'],
    [
      'What is the sum of the numbers from 1 to 100?',
      'The sum of the numbers from 1 to 100 is 5050.',
    ],
    ['What is the square of 12?', '12^2 = 144'],
    ['What is the median of 9, 1, 5?', 'The median of 9, 1, 5 is 5.'],
    ['If I compute 12 * (3+4), what do I get?', '12 × (3 + 4) = 84'],
  ],
  count: [
    ["How many r's are in strawberry?", 'The letter "r" occurs 3 times in "strawberry".'],
    [
      'How many words are in the sentence "the quick brown fox"?',
      'There are 4 words in "the quick brown fox".',
    ],
    ['Count the letters in "hello"', 'There are 5 letters in "hello".'],
    ['How many vowels are in "education"?', 'There are 5 vowels in "education".'],
    [
      'How many times does the word "the" appear in: the cat saw the dog and the bird',
      '"the" occurs 3 times in "the cat saw the dog and the bird".',
    ],
  ],
  sort: [
    ['Sort these words alphabetically: pear, apple, fig', 'apple, fig, pear'],
    ['Sort the numbers 3, 1, 2 in descending order', '3, 2, 1'],
    ['Sort: 10, 9, 100', '9, 10, 100'],
    ['Remove duplicates from this list: a, b, a, c', 'a, b, c'],
    ['Sort by length: banana, fig, pear', 'fig, pear, banana'],
    ['Sort this list in ascending order:\n- c\n- a\n- b', 'a\nb\nc'],
  ],
  extract: [
    [
      'Extract the email addresses from: write to bob@example.com or ann@example.org.',
      'bob@example.com\nann@example.org',
    ],
    [
      'Extract all URLs from: see https://example.com/a, and http://b.example.',
      'https://example.com/a\nhttp://b.example',
    ],
    ['Extract the numbers from: 3 apples and 12 pears', '3\n12'],
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
  'manners of answering': [
    ['Answer in one word: what color is the sky? The sky is blue.', 'blue'],
    ['What is 6 times 7? Reply with only the number.', '42'],
  ],
  'several questions': [['What is 2+2? What is 3*3?', '2 + 2 = 4\n3 × 3 = 9']],
  'equations step by step': [
    [
      'Solve 8x + 7 = -23',
      'Begin with the equation. 8x + 7 = -23\nBring the terms in x to one side and the numbers to the other. 8x = -30\nDivide both sides by 8. x = -3.75\nSo x = -3.75.',
    ],
  ],
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

  it('have the requested number of points', async () => {
    const answer = await say(`Summarize this in three bullet points:\n\n${text}`)
    expect(answer.split('\n')).toHaveLength(3)
    expect(answer.split('\n').every((line) => line.startsWith('- '))).toBe(true)
  })

  it('contain only sentences of the text', async () => {
    const answer = await say(`Summarize the following text in two sentences.\n\n${text}`)
    for (const sentence of answer.split(/(?<=\.) /))
      expect(text.replace(/\n/g, ' ')).toContain(sentence)
  })

  it('keep to the requested number of words', async () => {
    const answer = await say(`Summarize in 5 words:\n\n${text}`)
    expect(answer.split(' ').length).toBeLessThanOrEqual(5)
  })
})
