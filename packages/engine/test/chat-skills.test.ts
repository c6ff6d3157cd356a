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
  transform: [
    ['Convert "hello world" to uppercase', 'HELLO WORLD'],
    ['uppercase: hello world', 'HELLO WORLD'],
    ['Make this lowercase: HELLO', 'hello'],
    ['Convert to title case: the lord of the rings', 'The Lord Of The Rings'],
    ['Convert "hello big world" to snake case', 'hello_big_world'],
    ['Reverse the string "hello"', 'olleh'],
    ['Reverse the words: one two three', 'three two one'],
    ['Reverse the list: a, b, c', 'c, b, a'],
    ['Replace cat with dog in: the cat sat', 'the dog sat'],
    ['Remove all vowels from "education"', 'dctn'],
    ['Convert to a comma separated list:\napple\nbanana', 'apple, banana'],
    ['What is the acronym of "as soon as possible"?', 'ASAP'],
    ['encode "hello" in base64', 'aGVsbG8='],
    ['Decode this base64: aGVsbG8=', 'hello'],
    ['Translate hello to pig latin', 'ellohay'],
    ['Write SOS in morse code', '... --- ...'],
    ['What is "uryyb" in rot13?', 'hello'],
    ['What is 25 in roman numerals?', 'XXV'],
    ['Convert 255 to binary', '11111111'],
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
    ['What is the first word of "lorem ipsum dolor"?', 'lorem'],
    ['what is the longest word in "a quick brown elephant"', 'elephant'],
    ['Give me the last two words of "one two three"', 'two three'],
  ],
  calendar: [
    [
      'How many days are between 2024-01-01 and 2024-03-01?',
      'There are 60 days between 1 January 2024 and 1 March 2024.',
    ],
    ['What day of the week was 2024-02-29?', '29 February 2024 is a Thursday.'],
    [
      'What date is 10 days after 2024-02-25?',
      '10 days after 25 February 2024 is Wednesday, 6 March 2024.',
    ],
    ['Is 2024 a leap year?', 'Yes, 2024 is a leap year.'],
    ["What is today's date?", 'Today is Thursday, 5 March 2026 (UTC).'],
  ],
  units: [
    ['Convert 5 miles to kilometers', '5 miles is 8.04672 kilometres.'],
    ['What is 100 F in C?', '100 degrees Fahrenheit is 37.7778 degrees Celsius.'],
    ['How many grams are in 2 kg?', '2 kilograms is 2000 grams.'],
  ],
  compare: [
    ['Which is larger, 9.11 or 9.9?', '9.9 is larger than 9.11.'],
    ['Is 7 greater than 5?', 'Yes, 7 is greater than 5.'],
    ['Is 17 prime?', 'Yes, 17 is a prime number.'],
    ['Is 91 a prime number?', 'No, 91 = 7 × 13.'],
    ['Is "level" a palindrome?', 'Yes, "level" reads the same backwards.'],
  ],
  sequence: [
    ['Count from 1 to 5', '1, 2, 3, 4, 5'],
    ['List the first 10 prime numbers', '2, 3, 5, 7, 11, 13, 17, 19, 23, 29'],
    ['What comes next: 2, 4, 8, 16?', 'The next number is 32.'],
    ['What comes next: Monday, Tuesday, Wednesday', 'The next item is Thursday.'],
  ],
  classify: [
    ['Classify the sentiment as positive or negative: I love this phone, it is great', 'positive'],
    [
      'What is the sentiment of "The food was not good"? Answer positive, negative or neutral.',
      'negative',
    ],
    ['Is this spam or ham? "Congratulations, you win a free prize, click now"', 'spam'],
    [
      'Classify into one of these categories: sports, politics, technology. Text: The team won the match in the last minute.',
      'sports',
    ],
  ],
  summarise: [
    [
      'Summarize the following text in one sentence: The cat sat on the mat. The cat was happy on the mat because the mat was warm. Dogs bark.',
      'The cat sat on the mat.',
    ],
  ],
  question: [
    ["Alice has a red car. What colour is Alice's car?", 'Alice has a red car.'],
    ['Is the sky green? The sky is blue today.', 'No. The sky is blue today.'],
    [
      'Who is the oldest? Alice is 30 years old. Bob is 25 years old. Carol is 41.',
      'Carol is the oldest: Carol is 41.',
    ],
    ['Ada was born in London. Who invented the telephone?', 'The text does not say this.'],
  ],
  'word problems': [
    [
      'If I have 3 apples and buy 2 more, how many apples do I have?',
      '3 + 2 = 5, so the answer is 5 apples.',
    ],
    [
      'Tom has 5 marbles. He loses 2. How many marbles does Tom have?',
      '5 - 2 = 3, so the answer is 3 marbles.',
    ],
  ],
  'manners of answering': [
    ['Answer with yes or no: is 7 a prime number?', 'Yes'],
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

describe('what nothing applies to', () => {
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

  it('have as many points as asked for', async () => {
    const answer = await say(`Summarize this in three bullet points:\n\n${text}`)
    expect(answer.split('\n')).toHaveLength(3)
    expect(answer.split('\n').every((line) => line.startsWith('- '))).toBe(true)
  })

  it('say nothing that the text does not say', async () => {
    const answer = await say(`Summarize the following text in two sentences.\n\n${text}`)
    for (const sentence of answer.split(/(?<=\.) /))
      expect(text.replace(/\n/g, ' ')).toContain(sentence)
  })

  it('keep to a number of words', async () => {
    const answer = await say(`Summarize in 5 words:\n\n${text}`)
    expect(answer.split(' ').length).toBeLessThanOrEqual(5)
  })
})
