// A schema in the prompt, as libraries and people write it: the answer is the one that `response_format` would give, and takes
// nothing from the words of the instruction.
import { describe, expect, it, test } from 'vitest'
import { type Asked, replyTo } from './support/ask-chat.ts'

type Schema = Readonly<Record<string, unknown>>

const person: Schema = {
  $defs: {},
  title: 'Person',
  description: 'A person such as Grace Hopper, 85 years old, from New York.',
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', description: 'The full name, e.g. "John Doe"' },
    age: { type: 'integer', title: 'Age', description: 'In years, between 1 and 120' },
    city: { type: 'string', description: 'For example London' },
  },
  required: ['name', 'age', 'city'],
  additionalProperties: false,
}

const order: Schema = {
  type: 'object',
  properties: {
    number: { type: 'string' },
    total: { type: 'number' },
    state: { type: 'string', enum: ['open', 'paid', 'cancelled'] },
    items: {
      type: 'array',
      items: {
        type: 'object',
        properties: { quantity: { type: 'integer' }, name: { type: 'string' } },
        required: ['quantity', 'name'],
      },
    },
  },
  required: ['number', 'total', 'state', 'items'],
}

const list: Schema = {
  type: 'array',
  items: {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name', 'age'],
  },
}

const cases: readonly (readonly [string, Schema])[] = [
  ['Ada Lovelace is 36 and lives in Paris.', person],
  ['ada', person],
  ['My name is Ben. I am 41 years old and I live in Rome', person],
  ['Invoice INV-2041: 3 x Widget, 1 x Gear. Total $25.50, it is paid.', order],
  ['Alice is 30. Bob is 25.', list],
  [
    'What is 6 times 7?',
    { ...person, properties: { answer: { type: 'integer' } }, required: ['answer'] },
  ],
]

const pretty = (schema: Schema) => JSON.stringify(schema, null, 2)
const compact = (schema: Schema) => JSON.stringify(schema)
/** As Python prints a dictionary. */
const printed = (schema: Schema) =>
  compact(schema)
    .replaceAll(`\\"`, '`')
    .replaceAll('"', "'")
    .replaceAll('`', '"')
    .replaceAll(':false', ': False')
    .replaceAll(':', ': ')
    .replaceAll(',', ', ')

const example =
  '{"properties": {"foo": {"title": "Foo", "description": "a list of strings", "type": "array", "items": {"type": "string"}}}, "required": ["foo"]}'

/** What stands around the schema. */
const wordings: Readonly<Record<string, (schema: Schema) => string>> = {
  pydanticAi: (schema) =>
    `Always respond with a JSON object that's compatible with this schema:\n\n${compact(schema)}\n\nDon't include any text or Markdown fencing before or after.\n`,
  springAi: (schema) =>
    `Your response should be in JSON format.\nDo not include any explanations, only provide a RFC8259 compliant JSON response following this format without deviation.\nDo not include markdown code blocks in your response.\nRemove the \`\`\`json markdown from the output.\nHere is the JSON Schema instance your output must adhere to:\n\`\`\`${pretty(schema)}\`\`\`\n`,
  langchain: (schema) =>
    `The output should be formatted as a JSON instance that conforms to the JSON schema below.\n\nAs an example, for the schema ${example}\nthe object {"foo": ["bar", "baz"]} is a well-formatted instance of the schema. The object {"properties": {"foo": ["bar", "baz"]}} is not well-formatted.\n\nHere is the output schema:\n\`\`\`\n${compact(schema)}\n\`\`\``,
  langchainJs: (schema) =>
    `You must format your output as a JSON value that adheres to a given "JSON Schema" instance.\n\n"JSON Schema" is a declarative language that allows you to annotate and validate JSON documents.\n\nFor example, the example "JSON Schema" instance {{"properties": {{"foo": {{"description": "a list of test words", "type": "array", "items": {{"type": "string"}}}}}}, "required": ["foo"]}}}}\nwould match an object with one required property, "foo". The "type" property specifies "foo" must be an "array", and the "description" property semantically describes it as "a list of test words". The items within "foo" must be strings.\nThus, the object {{"foo": ["bar", "baz"]}} is a well-formatted instance of this example "JSON Schema". The object {{"properties": {{"foo": ["bar", "baz"]}}}} is not well-formatted.\n\nYour output will be parsed and type-checked according to the provided schema instance, so make sure all fields in your output match the schema exactly and there are no trailing commas!\n\nHere is the JSON Schema instance your output must adhere to. Include the enclosing markdown codeblock:\n\`\`\`json\n${compact(schema)}\n\`\`\`\n`,
  instructor: (schema) =>
    `\n        As a genius expert, your task is to understand the content and provide\n        the parsed objects in json that match the following json_schema:\n\n\n        ${pretty(schema)}\n\n        Make sure to return an instance of the JSON, not the schema itself\n`,
  aiSdk: (schema) =>
    `JSON schema:\n${compact(schema)}\nYou MUST answer with a JSON object that matches the JSON schema above.`,
  llamaIndex: (schema) =>
    `Here's a JSON schema to follow:\n${compact(schema)}\n\nOutput a valid JSON object but do not repeat the schema.`,
  dify: (schema) =>
    `You’re a helpful AI assistant. You could answer questions and output in JSON format.\nconstraints:\n    - You must output in JSON format.\n    - Do not output boolean value, use string type instead.\neg:\n    Here is the JSON schema:\n    {"additionalProperties": false, "properties": {"age": {"type": "number"}, "name": {"type": "string"}}, "required": ["name", "age"], "type": "object"}\n\n    Here is the user's question:\n    My name is John Doe and I am 30 years old.\n\n    output:\n    {"name": "John Doe", "age": 30}\nHere is the JSON schema:\n${compact(schema)}\n`,
  python: (schema) => `Return only JSON. The schema is:\n${printed(schema)}`,
  tags: (schema) =>
    `Reply so that it fits the schema.\n<output_schema>\n${pretty(schema)}\n</output_schema>\nNothing else.`,
  plain: (schema) => `Use this: ${compact(schema)}`,
  german: (schema) => `Antworte nur mit JSON nach folgendem Schema:\n${compact(schema)}`,
  chinese: (schema) => `请按照以下 JSON Schema 格式返回：\n${compact(schema)}`,
  named: (schema) =>
    `Produce JSON according to ${JSON.stringify({ name: 'result', strict: true, schema })}.`,
  withExample: (schema) =>
    `Answer with an instance of this schema:\n${compact(schema)}\nFor example:\n{"name": "Jane Roe", "age": 99, "city": "Oslo"}`,
}

const system = 'You are a careful clerk.'
const placements: Readonly<Record<string, (words: string, format: string) => Asked['messages']>> = {
  'in the system message': (words, format) => [
    { role: 'system', content: format },
    { role: 'user', content: words },
  ],
  'in the system message, behind other words': (words, format) => [
    { role: 'system', content: `${system}\n\n${format}` },
    { role: 'user', content: words },
  ],
  'after the words': (words, format) => [{ role: 'user', content: `${words}\n${format}` }],
  'after the words, apart': (words, format) => [{ role: 'user', content: `${words}\n\n${format}` }],
  'before the words': (words, format) => [{ role: 'user', content: `${format}\n\n${words}` }],
  'in a part of its own': (words, format) => [
    {
      role: 'user',
      content: [
        { type: 'text', text: words },
        { type: 'text', text: format },
      ],
    },
  ],
  'in a message of its own': (words, format) => [
    { role: 'user', content: words },
    { role: 'user', content: format },
  ],
}

async function textOf(asked: Asked): Promise<string> {
  const reply = await replyTo({ temperature: 0, ...asked })
  return reply.choices[0]?.message.content ?? ''
}

async function native(words: string, schema: Schema, isBehind: boolean): Promise<string> {
  return textOf({
    messages: [
      ...(isBehind ? [{ role: 'system' as const, content: system }] : []),
      { role: 'user', content: words },
    ],
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
  })
}

describe.each(Object.keys(wordings))('%s', (wording) => {
  it.each(Object.keys(placements))('%s', async (place) => {
    for (const [words, schema] of cases) {
      const messages = placements[place]?.(words, wordings[wording]?.(schema) ?? '') ?? []
      const expected = await native(words, schema, place.includes('behind'))
      expect(await textOf({ messages }), words).toBe(expected)
      const demanded = { messages, response_format: { type: 'json_object' } } as const
      expect(await textOf(demanded), words).toBe(expected)
    }
  })
})

describe('objects described without a JSON Schema', () => {
  const words = 'Ada Lovelace is 36 and lives in Paris.'

  it.each<[name: string, messages: Asked['messages'], answer: unknown]>([
    [
      'BAML',
      [
        {
          role: 'user',
          content: `${words}\n\nAnswer in JSON using this schema:\n{\n  // Full name, such as Grace Hopper\n  name: string,\n  age: int, // in years, e.g. 85\n  city: string or null,\n}`,
        },
      ],
      { name: 'Ada Lovelace', age: 36, city: 'Paris' },
    ],
    [
      'BAML, lists and enumerations',
      [
        {
          role: 'user',
          content:
            'State\n----\n- OPEN: still to be paid by John Doe\n- PAID\n\nAnswer in JSON using this schema:\n{\n  state: State,\n  kind: "refund" or "sale",\n  items: [\n    {\n      quantity: int,\n      name: string,\n    }\n  ],\n}\n\nThe sale of 3 x Widget, 1 x Gear is paid.',
        },
      ],
      {
        state: 'PAID',
        kind: 'sale',
        items: [
          { quantity: 3, name: 'Widget' },
          { quantity: 1, name: 'Gear' },
        ],
      },
    ],
    [
      'BAML, a list at the top',
      [
        {
          role: 'system',
          content:
            'Answer with a JSON Array using this schema:\n[\n  {\n    name: string,\n    age: int,\n  }\n]',
        },
        { role: 'user', content: 'Alice is 30. Bob is 25.' },
      ],
      [
        { name: 'Alice', age: 30 },
        { name: 'Bob', age: 25 },
      ],
    ],
    [
      'LangChain4j',
      [
        {
          role: 'user',
          content: `${words}\nYou must answer strictly in the following JSON format: {\n"name": (type: string),\n"age": (type: integer),\n"city": (type: string)\n}`,
        },
      ],
      { name: 'Ada Lovelace', age: 36, city: 'Paris' },
    ],
    [
      'LangChain, response schemas',
      [
        {
          role: 'user',
          content: `Answer the user query.\nThe output should be a markdown code snippet formatted in the following schema, including the leading and trailing "\`\`\`json" and "\`\`\`":\n\n\`\`\`json\n{\n\t"name": string  // the name, for example John Doe\n\t"age": integer  // the age of John Doe, 44\n}\n\`\`\`\n${words}`,
        },
      ],
      { name: 'Ada Lovelace', age: 36 },
    ],
    [
      'DSPy',
      [
        {
          role: 'system',
          content:
            'Your input fields are:\n1. `question` (str):\nYour output fields are:\n1. `answer` (int):\nAll interactions will be structured in the following way, with the appropriate values filled in.\n\nInputs will have the following structure:\n\n[[ ## question ## ]]\n{question}\n\nOutputs will be a JSON object with the following fields.\n\n{\n  "answer": "{answer}        # note: the value you produce must be a single int value"\n}\nIn adhering to this structure, your objective is: \n        Given the fields `question`, produce the fields `answer`.',
        },
        {
          role: 'user',
          content:
            '[[ ## question ## ]]\nWhat is 6 times 7?\n\nRespond with a JSON object in the following order of fields: `answer` (must be formatted as a valid Python int).',
        },
      ],
      { answer: 42 },
    ],
    [
      'an example of the object',
      [
        {
          role: 'system',
          content:
            'Respond in the following JSON format:\n{"name": "John Doe", "age": 44, "tags": ["a", "b"]}\nNo other text.',
        },
        { role: 'user', content: words },
      ],
      { name: 'Ada Lovelace', age: 36, tags: [] },
    ],
    [
      'TypeScript',
      [
        {
          role: 'user',
          content: `Translate the request into JSON that matches this TypeScript type:\n\`\`\`\ninterface Person {\n  name: string; // John Doe\n  age?: number;\n  cities: string[];\n}\n\`\`\`\nThe request:\n${words}`,
        },
      ],
      { name: 'Ada Lovelace', age: 36, cities: ['Paris'] },
    ],
  ])('%s', async (_, messages, answer) => {
    expect(JSON.parse(await textOf({ messages }))).toEqual(answer)
  })
})

describe('does not answer with a schema that is not for the response', () => {
  it.each([
    `What does this JSON schema describe?\n\n${compact(person)}`,
    `Explain this schema: ${compact(person)}`,
    `Rename the field in this JSON schema to full_name, please:\n${compact(person)}`,
  ])('%s', async (content) => {
    expect(await textOf({ messages: [{ role: 'user', content }] })).not.toMatch(/^[{[]/)
  })

  it('of a tool in a manual', async () => {
    const content = `You may use these tools.\n- find_person: finds somebody.\n  Input schema: ${compact(person)}`
    const messages = [
      { role: 'system' as const, content },
      { role: 'user' as const, content: 'What is 6 times 7?' },
    ]
    expect(await textOf({ messages })).toMatch(/^(?!\{).*42/)
  })

  it('of an earlier request', async () => {
    const messages = [
      { role: 'user' as const, content: `Ada is 36.\n${wordings['aiSdk']?.(person)}` },
      { role: 'assistant' as const, content: '{"name":"Ada","age":36,"city":""}' },
      { role: 'user' as const, content: 'What is 6 times 7?' },
    ]
    expect(await textOf({ messages })).toMatch(/^(?!\{).*42/)
  })
})

it('fills the schema from the sentence around it', async () => {
  const content = `Extract the person in "Ada Lovelace is 36" as JSON that matches this schema: ${compact(person)}`
  expect(JSON.parse(await textOf({ messages: [{ role: 'user', content }] }))).toMatchObject({
    name: 'Ada Lovelace',
    age: 36,
  })
})

it('prefers the schema of the request to one in the prompt', async () => {
  const schema = { type: 'object', properties: { years: { type: 'integer' } }, required: ['years'] }
  const reply = await textOf({
    messages: [
      { role: 'user', content: `Ada is 36 years old.\n${wordings['pydanticAi']?.(person)}` },
    ],
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
  })
  expect(reply).toBe('{"years":36}')
})

test.each([
  ['braces', '{'.repeat(200_000)],
  ['pairs', '{}'.repeat(100_000)],
  ['nested pairs', `${'{'.repeat(50_000)}${'}'.repeat(50_000)}`],
  ['names', `{${'a:'.repeat(100_000)}}`],
  ['quotation marks', `{${'"'.repeat(200_000)}}`],
  ['blanks', `{ "a": ${' '.repeat(200_000)}`],
  ['fences', `${'```'.repeat(60_000)}{"type":"object","properties":{}}${'```'.repeat(60_000)}`],
  ['rules', `A\n---${'-'.repeat(100_000)}\n{"type":"object","properties":{}}`],
  ['comments', `{${'/*'.repeat(100_000)}}`],
  [
    'lines',
    `${'json\n'.repeat(40_000)}{"type":"object","properties":{}}${'\njson'.repeat(40_000)}`,
  ],
])('scans 200,000 characters quickly: %s', async (_, content) => {
  const { findSchema } = await import('../src/chat/prompted/prompted-schema.ts')
  const { withoutFormat } = await import('../src/chat/prompted/format-words.ts')
  const began = performance.now()
  const found = findSchema(content)
  if (found !== undefined) withoutFormat(content, found.range)
  expect(performance.now() - began).toBeLessThan(1_500)
})
