import { describe, expect, it } from 'vitest'
import { converse, replyTo, say } from './support/ask-chat.ts'

const ada = `Ada Lovelace was born in London in 1815. She wrote the first computer program in 1843. Charles Babbage designed the
Analytical Engine. The machine was never finished because the money ran out. It would have had 50 columns.`

describe('questions about a text', () => {
  it.each([
    ['Who wrote the first computer program?', 'She wrote the first computer program in 1843.'],
    ['When was Ada born?', 'Ada Lovelace was born in London in 1815.'],
    ['Who designed the Analytical Engine?', 'Charles Babbage designed the Analytical Engine.'],
    ['Did Ada write the first program?', 'She wrote the first computer program in 1843.'],
    ["What was the name of Napoleon's horse?", 'The text does not say this.'],
  ])('%s', async (asked, answered) => {
    expect(await say(`${ada}\n\n${asked}`)).toBe(answered)
    expect(await say(`Context: ${ada}\n\nQuestion: ${asked}`)).toBe(answered)
    expect(await converse([`S:Answer from this text.\n${ada}`, `U:${asked}`])).toContain(
      answered === 'The text does not say this.' ? '' : answered,
    )
  })

  it('quotes a sentence without replacing pronouns', async () => {
    const text = `The crew returned to Earth on July 24. They brought back 21.5 kilograms of lunar material.`
    expect(await say(`${text}\n\nHow much lunar material did they bring back?`)).toBe(
      'They brought back 21.5 kilograms of lunar material.',
    )
  })

  it('reads JSON as facts', async () => {
    const data = JSON.stringify({
      user: { name: 'Ada', email: 'ada@example.com' },
      plan: 'premium',
    })
    expect(await say(`${data}\n\nWhat is the email of the user?`)).toContain('ada@example.com')
  })
})

describe('recalls what was said before', () => {
  it.each([
    [['U:My name is Ada.', 'A:Hello', 'U:What is my name?'], 'You said: "My name is Ada."'],
    [
      ['U:My favorite color is teal. I live in Oslo.', 'A:ok', 'U:Where do I live?'],
      'You said: "I live in Oslo."',
    ],
    [
      ['U:My favorite color is teal. I live in Oslo.', 'A:ok', 'U:What is my favourite colour?'],
      'You said: "My favorite color is teal."',
    ],
    [
      ['U:My name is Ada.', 'A:Hi', 'U:Actually my name is Grace.', 'A:Hi', 'U:What is my name?'],
      'You said: "my name is Grace."',
    ],
    [
      ['U:I have two cats named Tom and Jerry.', 'A:ok', 'U:How many cats do I have?'],
      'You said: "I have two cats named Tom and Jerry."',
    ],
    [['S:Your name is Hal.', 'U:What is your name?'], 'I was told: "Your name is Hal."'],
    [['S:The office opens at 9 am.', 'U:When does the office open?'], 'The office opens at 9 am.'],
    [
      ['U:The meeting is at noon in room 12.', 'A:ok', 'U:Where is the meeting?'],
      'The meeting is at noon in room 12.',
    ],
  ])('%j', async (lines, answered) => {
    expect(await converse(lines)).toBe(answered)
  })

  it('quotes without guessing whom a pronoun means', async () => {
    expect(await converse(['U:I told Bob that you met me.', 'A:ok', 'U:Whom did you meet?'])).toBe(
      'You said: "I told Bob that you met me."',
    )
  })
})

describe('follows instructions of the system message', () => {
  it.each([
    ['Always answer in upper case.', 'What is 2+2?', '2 + 2 = 4'],
    ['Always answer in upper case.', 'Say hello', 'HELLO.'],
    ['Answer with only the number.', 'What is 6 times 7?', '42'],
    ['Always reply with the word "OK".', 'What is your name?', 'OK'],
    ['Respond in JSON.', 'What is 6 times 7?', '{"answer":42}'],
  ])('%s %s', async (system, asked, answered) => {
    expect(await converse([`S:${system}`, `U:${asked}`])).toBe(answered)
  })
})

describe('parts and roles', () => {
  it('reads part arrays and developer messages like strings and system messages', async () => {
    const reply = await replyTo({
      temperature: 0,
      messages: [
        { role: 'developer', content: [{ type: 'text', text: 'The password is swordfish.' }] },
        { role: 'user', content: [{ type: 'text', text: 'What is the password?' }] },
      ],
    })
    expect(reply.choices[0]?.message.content).toBe('The password is swordfish.')
  })

  it('answers a conversation without a user message', async () => {
    const reply = await replyTo({ messages: [{ role: 'system', content: 'Be kind.' }] })
    expect(reply.choices[0]?.message.content).toBeTruthy()
  })
})
