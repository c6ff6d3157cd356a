import { expect, it } from 'vitest'
import { codecContext } from '../../../../test/support/codec-context.ts'
import type { ChatRequest } from '../../../contract/src/operations/chat-request.ts'
import type { AiSdkContext } from '../../src/ai-sdk/context.ts'
import { openAiSdkProvider } from '../../src/ai-sdk/open-provider.ts'

const reasoning = { text: 'Hm.', providerMetadata: { acme: { signature: 'sig' } } }
const call = {
  type: 'tool-call',
  toolCallId: 'a',
  toolName: 'f',
  input: '{"n":1}',
  providerMetadata: { acme: { thought: 't' } },
}
const finish = {
  finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
  usage: { inputTokens: { total: 5 }, outputTokens: { total: 3, reasoning: 2 } },
}

interface Options {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[]
}

/** A package whose model thinks, signs its thoughts and calls a tool. */
async function thinker() {
  const prompts: Options['prompt'][] = []
  const parts = [
    { type: 'stream-start', warnings: [] },
    { type: 'reasoning-start', id: '0' },
    { type: 'reasoning-delta', id: '0', delta: 'Hm.' },
    { type: 'reasoning-end', id: '0', providerMetadata: reasoning.providerMetadata },
    call,
    { type: 'finish', ...finish },
  ]
  const model = {
    specificationVersion: 'v4',
    supportedUrls: { 'image/*': [/^https:\/\/fine\.example\//] },
    doGenerate({ prompt }: Options) {
      prompts.push(prompt)
      return Promise.resolve({
        content: [{ type: 'reasoning', ...reasoning }, call],
        ...finish,
        warnings: [],
      })
    },
    doStream: () => Promise.resolve({ stream: ReadableStream.from(parts) }),
  }
  const importModule = () => Promise.resolve({ createAcme: () => ({ languageModel: () => model }) })
  const { chat } = await openAiSdkProvider({ package: 'acme', options: {}, importModule })
  return { chat: chat!, prompts }
}

function context(given: Partial<AiSdkContext> = {}): AiSdkContext {
  const { now, newId, unsupported, leftOut } = codecContext()
  const fetchMedia = () =>
    Promise.resolve({ bytes: new Uint8Array([1, 2]), contentType: 'image/png' })
  const { signal } = new AbortController()
  return {
    model: 'm',
    target: 'm',
    signal,
    now,
    newId,
    unsupported,
    leftOut,
    fetchMedia,
    ...given,
  }
}

const user = { role: 'user', content: 'hi' } as const
const request: ChatRequest = { model: 'm', messages: [user] }

it('returns provider metadata of reasoning and calls unchanged', async () => {
  const { chat, prompts } = await thinker()
  const whole = await chat(request, context())
  if (whole.kind !== 'reply') throw new Error('not whole')
  const { message } = whole.reply.choices[0]!
  expect(message.reasoning_content).toBe('Hm.')
  expect(whole.usage).toEqual({ inputTokens: 5, outputTokens: 3, reasoningTokens: 2 })

  await chat(
    {
      ...request,
      messages: [user, { ...message }, { role: 'tool', tool_call_id: 'a', content: '2' }],
    },
    context(),
  )
  expect(prompts[1]?.slice(1)).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.', providerOptions: reasoning.providerMetadata },
        {
          type: 'tool-call',
          toolCallId: 'a',
          toolName: 'f',
          input: { n: 1 },
          providerOptions: call.providerMetadata,
        },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'a',
          toolName: 'f',
          output: { type: 'text', value: '2' },
        },
      ],
    },
  ])
})

it('returns provider metadata in a stream once and complete', async () => {
  const { chat } = await thinker()
  const result = await chat({ ...request, stream: true }, context())
  if (result.kind !== 'events') throw new Error('not streamed')
  const deltas = []
  for await (const step of result.events)
    if ('event' in step) deltas.push(...step.event.choices.map(({ delta }) => delta))
  const whole = await chat(request, context())
  if (whole.kind !== 'reply') throw new Error('not whole')
  const { message } = whole.reply.choices[0]!
  expect(deltas.flatMap((delta) => delta.thinking_blocks ?? [])).toEqual(message.thinking_blocks)
  const calls = deltas.flatMap((delta) => delta.tool_calls ?? [])
  expect(calls.map((piece) => piece.function?.arguments ?? '').join('')).toBe('{"n":1}')
  expect(calls.find((piece) => piece.extra_content != null)?.extra_content).toEqual(
    message.tool_calls?.[0]?.extra_content,
  )
})

it('drops reasoning of other providers', async () => {
  const { chat, prompts } = await thinker()
  await chat(
    {
      ...request,
      messages: [
        user,
        {
          role: 'assistant',
          content: 'Yes.',
          thinking_blocks: [
            { type: 'thinking', thinking: 'x', signature: 's' },
            { type: 'reasoning', id: 'rs_1', encrypted_content: 'opaque' },
          ],
        },
        user,
      ],
    },
    context(),
  )
  expect(prompts[0]?.[1]?.content).toEqual([{ type: 'text', text: 'Yes.' }])
})

it('passes URLs that the model reads itself and downloads others', async () => {
  const { chat, prompts } = await thinker()
  const picture = (url: string) => ({ type: 'image_url' as const, image_url: { url } })
  await chat(
    {
      ...request,
      messages: [
        {
          role: 'user',
          content: [picture('https://fine.example/a.png'), picture('https://other.example/b.png')],
        },
      ],
    },
    context(),
  )
  expect(prompts[0]?.[0]?.content).toEqual([
    {
      type: 'file',
      mediaType: 'image/*',
      data: { type: 'url', url: new URL('https://fine.example/a.png') },
    },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQI=' } },
  ])
})

it('rejects a package of another specification version', async () => {
  const importModule = () =>
    Promise.resolve({
      createOld: () => ({ languageModel: () => ({ specificationVersion: 'v2' }) }),
    })
  const { chat } = await openAiSdkProvider({ package: 'old', options: {}, importModule })
  await expect(chat!(request, context())).rejects.toMatchObject({ code: 'not_implemented' })
})
