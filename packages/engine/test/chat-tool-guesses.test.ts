import { expect, it } from 'vitest'
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
  ['Read the file and tell me what is written in it', [read, write], []],
  ['Write a note', [write], []],
  ['What is 15% of 80?', [todo], []],
])('%s', async (content, tools, calls) => {
  const reply = await replyTo({ messages: [{ role: 'user', content }], tools })
  const made = reply.choices[0]?.message.tool_calls ?? []
  expect(made.map((call) => `${call.function?.name} ${call.function?.arguments}`)).toEqual(calls)
})

it('what must be called is called, with made up arguments where there are no others', async () => {
  const reply = await replyTo({
    messages: [{ role: 'user', content: 'How is it?' }],
    tools: [weather],
    tool_choice: 'required',
  })
  expect(reply.choices[0]?.message.tool_calls).toHaveLength(1)
})
