// BAML writes its types into the prompt (docs.boundaryml.com, ctx.output_format), and sends the prompt as one system message
// unless it says otherwise.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Started, start } from '../../support/start.ts'

let gateway: Started
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const person = '{\n  name: string,\n  age: int,\n}'
const prompts: readonly (readonly [name: string, prompt: string, value: unknown])[] = [
  [
    'a class',
    `Ada Lovelace is 36 years old.\n\nAnswer in JSON using this schema:\n${person}`,
    { name: 'Ada Lovelace', age: 36 },
  ],
  [
    'a class or null',
    `Ada Lovelace is 36 years old.\n\nAnswer in JSON using this schema:\n${person} or null`,
    { name: 'Ada Lovelace', age: 36 },
  ],
  [
    'comments, options and lists',
    'Extract this resume:\n---\nAda Lovelace\nada@example.com\nUT Austin\n---\n\nAnswer in JSON using this schema:\n{\n  name: string,\n  // The address for mail\n  email: string or null,\n  phone: string or null,\n  tags: string[],\n}',
    { name: 'Ada Lovelace', email: 'ada@example.com', phone: null, tags: [] },
  ],
  [
    'literals',
    "Classify the message.\n\nI cannot log in to my account.\n\nAnswer in JSON using this schema:\n{\n  category: 'Billing' or 'Account' or 'Other',\n}",
    { category: 'Account' },
  ],
  [
    'an enumeration with descriptions, and nested classes',
    'Classify the message.\n\nI cannot log in to my account.\n\nCategory\n----\n- Billing: about invoices\n- Account: about logging in\n- Other\n\nAnswer in JSON using this schema:\n{\n  category: Category,\n  people: [\n    {\n      name: string,\n      age: int or null,\n    }\n  ],\n}',
    { category: 'Account', people: [] },
  ],
  [
    'a union of classes in a class',
    'The price is 12 euros.\n\nAnswer in JSON using this schema:\n{\n  value: {\n    amount: int,\n  } or {\n    text: string,\n  } or null,\n}',
    { value: { amount: 12 } },
  ],
  [
    'a union of classes',
    `Ada Lovelace is 36 years old.\n\nAnswer in JSON using any of these schemas:\n${person} or {\n  title: string,\n}`,
    { name: 'Ada Lovelace', age: 36 },
  ],
  [
    'an enumeration alone',
    'Classify the message.\n\nI cannot log in to my account.\n\nAnswer with any of the categories:\nCategory\n----\n- Billing: about invoices\n- Account: about logging in\n- Other',
    'Account',
  ],
  ['a number', 'Ada Lovelace is 36 years old. How old is she?\n\nAnswer as an int', 36],
  [
    'a list of texts',
    'Write to ada@example.com and alan@example.com. List the emails.\n\nAnswer with a JSON Array using this schema:\nstring[]',
    expect.any(Array),
  ],
  [
    'a list of classes',
    'Ada Lovelace is 36 years old.\n\nAnswer with a JSON Array using this schema:\n[\n  {\n    name: string,\n    age: int,\n  }\n]',
    [{ name: 'Ada Lovelace', age: 36 }],
  ],
]

test.each(
  prompts.flatMap(([name, prompt, value]) =>
    ['user', 'system'].map((role) => [name, role, prompt, value] as const),
  ),
)('%s in a %s message', async (_name, role, content, value) => {
  const response = await gateway.post('/v1/chat/completions', {
    model: 'builtin-chat',
    messages: [{ role, content }],
  })
  const { choices } = (await response.json()) as {
    readonly choices: readonly { readonly message: { readonly content: string } }[]
  }
  expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual(value)
})
