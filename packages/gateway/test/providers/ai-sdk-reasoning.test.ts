// Reasoning in a history, on its way to models of packages: it is sent, or what is lost of it is named.
import { expect, it } from 'vitest'
import { codecContext } from '../../../../test/support/codec-context.ts'
import type { ChatRequest } from '../../../contract/src/operations/chat-request.ts'
import type { AiSdkContext } from '../../src/ai-sdk/context.ts'
import { openAiSdkProvider } from '../../src/ai-sdk/open-provider.ts'

type Message = ChatRequest['messages'][number]

const finish = {
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: { inputTokens: { total: 5 }, outputTokens: { total: 3 } },
}

/** What a model gets of an answer in the history, and what is named as dropped. */
async function sentOf(answer: Partial<Message>, warnings: readonly object[] = []) {
  const prompts: (readonly { readonly content: unknown }[])[] = []
  const model = {
    specificationVersion: 'v4',
    doGenerate({ prompt }: { readonly prompt: (typeof prompts)[number] }) {
      prompts.push(prompt)
      return Promise.resolve({ content: [{ type: 'text', text: 'Hi' }], ...finish, warnings })
    },
  }
  const importModule = () => Promise.resolve({ createAcme: () => ({ languageModel: () => model }) })
  const { chat } = await openAiSdkProvider({ package: 'acme', options: {}, importModule })
  const dropped: string[] = []
  const { now, newId, unsupported } = codecContext()
  const context: AiSdkContext = {
    model: 'm',
    target: 'm',
    signal: new AbortController().signal,
    now,
    newId,
    unsupported,
    leftOut: (param) => void dropped.push(param),
    fetchMedia: () => Promise.reject(new Error('nothing is fetched')),
  }
  const user = { role: 'user', content: 'Hi' } as const
  const messages: ChatRequest['messages'] = [user, { role: 'assistant', ...answer }, user]
  await chat!({ model: 'm', messages }, context)
  return { content: prompts[0]?.[1]?.content, dropped }
}

const said = { type: 'text', text: 'Ho' }
const thought = { type: 'reasoning', text: 'Hm' }

it('sends the text of reasoning', async () => {
  expect(await sentOf({ content: 'Ho', reasoning_content: 'Hm' })).toEqual({
    content: [thought, said],
    dropped: [],
  })
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } } as const
  expect(await sentOf({ content: null, tool_calls: [call], reasoning_content: 'Hm' })).toEqual({
    content: [thought, { type: 'tool-call', toolCallId: 'c', toolName: 'f', input: {} }],
    dropped: [],
  })
})

it('names what only another provider can read', async () => {
  const signed = { type: 'thinking', thinking: 'Hm', signature: 'c2ln' } as const
  expect(
    await sentOf({ content: 'Ho', reasoning_content: 'Hm', thinking_blocks: [signed] }),
  ).toEqual({ content: [thought, said], dropped: ['messages[1].thinking_blocks'] })
  const call = {
    id: 'c',
    type: 'function',
    function: { name: 'f', arguments: '{}' },
    extra_content: { acme: { signature: 'c2ln' } },
  } as const
  const { dropped } = await sentOf({ content: null, tool_calls: [call] })
  expect(dropped).toEqual(['messages[1].tool_calls[0].extra_content'])
})

it('names reasoning that has nothing beside it', async () => {
  const { content, dropped } = await sentOf({ content: null, reasoning_content: 'Hm' })
  expect(content).toEqual([{ type: 'text', text: 'Hi' }])
  expect(dropped).toEqual(['messages[1].reasoning_content'])
})

it('names reasoning that a package leaves out with a warning', async () => {
  const warnings = [{ type: 'other', message: 'unsupported reasoning metadata' }]
  const { dropped } = await sentOf({ content: 'Ho', reasoning_content: 'Hm' }, warnings)
  expect(dropped).toEqual(['messages[1].reasoning_content'])
  expect((await sentOf({ content: 'Ho' }, warnings)).dropped).toEqual([])
})
