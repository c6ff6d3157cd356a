import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../contract/src/operations/chat-request.ts'
import { replyTo } from './support/ask-chat.ts'

type Tool = NonNullable<ChatRequest['tools']>[number]

const text = { type: 'string' }

function tool(name: string, description: string, properties: Record<string, unknown>): Tool {
  const parameters = { type: 'object', properties, required: Object.keys(properties) }
  return { type: 'function', function: { name, description, parameters } }
}

const weather = tool('get_weather', 'Get the current weather in a given location', {
  location: text,
})
const read = tool('read', 'Read the contents of a file', { path: text })
const write = tool('write', 'Write content to a file', { path: text, content: text })
const todo = tool('todo_write', 'Create and manage a task list for the session', {
  content: text,
  status: { type: 'string', enum: ['pending', 'completed'] },
})

/** Under auto nothing is called whose required arguments the request does not give. */
it.each<[string, Tool[], string[]]>([
  ['How is the weather in Oslo?', [weather], ['get_weather {"location":"Oslo"}']],
  ['How is the weather?', [weather], []],
  ['What is the weather in Paris? Do not use any tool.', [weather], []],
  [
    'Read the file src/a.ts and tell me what is written in it',
    [read, write],
    ['read {"path":"src/a.ts"}'],
  ],
  ['Read the file X and tell me what is in it', [read, write], ['read {"path":"X"}']],
  ['Read the file called notes', [read, write], ['read {"path":"notes"}']],
  ['Read the file I gave you', [read, write], []],
  ['Read the file and tell me what is written in it', [read, write], []],
  ['Write a note', [write], []],
  ['What is 15% of 80?', [todo], []],
])('%s', async (content, tools, calls) => {
  const reply = await replyTo({ messages: [{ role: 'user', content }], tools })
  const made = reply.choices[0]?.message.tool_calls ?? []
  expect(made.map((call) => `${call.function?.name} ${call.function?.arguments}`)).toEqual(calls)
})

it('a required call gets made-up arguments if the prompt has none', async () => {
  const reply = await replyTo({
    messages: [{ role: 'user', content: 'How is it?' }],
    tools: [weather],
    tool_choice: 'required',
  })
  expect(reply.choices[0]?.message.tool_calls).toHaveLength(1)
})

const time = tool('get_current_time', 'Get the current time in a location', { location: text })
const stop = tool('stop_task', 'Stop the running task', {})
const spawn = tool('Task', 'Launch an agent', { description: text, prompt: text })
const adder = tool('AdderTool', 'Adds two integers together', {
  a: { type: 'integer' },
  b: { type: 'integer' },
})
const bash = tool('bash', 'Run a command', { command: text })
const edit = tool('str_replace', 'Edit a file', { path: text, old_str: text, new_str: text })

async function called(messages: ChatRequest['messages'], tools: Tool[]): Promise<string[]> {
  const reply = await replyTo({ messages, tools })
  const made = reply.choices[0]?.message.tool_calls ?? []
  return made.map((call) => `${call.function?.name} ${call.function?.arguments}`)
}

describe('tools asked for by name are each called once', () => {
  const weatherTool = { ...weather.function, name: 'get_current_weather' }
  it.each<[string, string[]]>([
    [
      "What's the weather and current time in San Francisco?\nEnsure you ALWAYS call the 'get_current_weather' tool for weather and 'get_current_time' tool for time.",
      [
        'get_current_weather {"location":"San Francisco"}',
        'get_current_time {"location":"San Francisco"}',
      ],
    ],
    [
      'Call get_current_weather for Paris and get_current_time for Rome',
      ['get_current_weather {"location":"Paris"}', 'get_current_time {"location":"Rome"}'],
    ],
    ['Use get_current_time with location Oslo', ['get_current_time {"location":"Oslo"}']],
  ])('%s', async (content, calls) => {
    const tools: Tool[] = [{ type: 'function', function: weatherTool }, time]
    expect(await called([{ role: 'user', content }], tools)).toEqual(calls)
  })
})

it.each<[string, Tool[], string[]]>([
  ['What is the state of the task?', [stop, spawn], []],
  ['Summarise the agent meeting', [spawn], []],
  ['What is the weather in Paris? Answer without tools.', [weather], []],
  ["What is the weather in Paris? Don't call any function.", [weather], []],
  ['Read a/b.txt', [bash], ['bash {"command":"cat a/b.txt"}']],
  [
    'In a.txt replace x with y',
    [edit],
    ['str_replace {"path":"a.txt","old_str":"x","new_str":"y"}'],
  ],
  ['Create the file hi.txt with the content "hello"', [bash, write], []],
  ['Delete a.txt', [bash, write, edit], []],
  ['Read a.txt and write a summary to b.txt', [read, write, bash], []],
])('%s', async (content, tools, calls) => {
  expect(await called([{ role: 'user', content }], tools)).toEqual(calls)
})

const remove = tool('delete_file', 'Deletes a file', { path: text })
const readFile = tool('read_file', 'Reads a file', { path: text })
const pay = tool('transfer_money', 'Transfers money to an account', {
  amount: { type: 'number' },
  to_account: text,
})
const light = tool('set_light', 'Turns a light on or off', {
  room: text,
  state: { type: 'string', enum: ['on', 'off'] },
})
const book = tool('book_table', 'Books a table in a restaurant', { restaurant: text })
const search = tool('web_search', 'Searches the web', { query: text })

describe('does not call a tool without a request for it', () => {
  it.each<[string, Tool[], string[]]>([
    ['Should I delete old.log?', [remove], []],
    ['Delete old.log', [remove], ['delete_file {"path":"old.log"}']],
    ['Could you delete old.log?', [remove], ['delete_file {"path":"old.log"}']],
    ['Do not delete a.txt, just read b.txt', [remove, readFile], ['read_file {"path":"b.txt"}']],
    ['How do I transfer 100 to account DE-99?', [pay], []],
    [
      'Transfer 250.50 to account DE-99.',
      [pay],
      ['transfer_money {"amount":250.5,"to_account":"DE-99"}'],
    ],
    ['Is the light in the kitchen on?', [light], []],
    ['Turn off the light in the kitchen', [light], []],
    ['Please book a table for four', [book], []],
    ['Without calling get_weather, tell me the weather in Lima.', [weather, time], []],
    [
      'Instead of the weather, give me the time in Paris.',
      [weather, time],
      ['get_current_time {"location":"Paris"}'],
    ],
    [
      "Don't forget to check the weather in Paris.",
      [weather],
      ['get_weather {"location":"Paris"}'],
    ],
    ['Who won the cup in 2022?', [search], ['web_search {"query":"Who won the cup in 2022"}']],
    ['Who won the cup in 2022? Do not search the web.', [search], []],
  ])('%s', async (content, tools, calls) => {
    expect(await called([{ role: 'user', content }], tools)).toEqual(calls)
  })
})

it.each([
  ['path', 'read_file'],
  ['file_path', 'Read'],
  ['filePath', 'view'],
  ['absolute_path', 'read_file'],
  ['target_file', 'ReadFile'],
  ['which', 'read_text_file'],
])('passes a path in a parameter named %s', async (name, toolName) => {
  const reader = tool(
    toolName,
    `Reads a file. ${'It writes, edits and runs nothing. '.repeat(200)}`,
    {
      [name]: text,
    },
  )
  const calls = await called(
    [{ role: 'user', content: 'Open src/main.c for me' }],
    [write, bash, reader],
  )
  expect(calls).toEqual([`${toolName} {"${name}":"src/main.c"}`])
})

it('calls the only tool if the system message demands it', async () => {
  const order = 'You are bad at math and must ALWAYS call the math_addition function.'
  const messages: ChatRequest['messages'] = [
    { role: 'system', content: order },
    { role: 'user', content: 'What is 3 plus 12?' },
  ]
  expect(await called(messages, [adder])).toEqual(['AdderTool {"a":3,"b":12}'])
})
