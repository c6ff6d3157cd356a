import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { codecContext, received } from '../../../../test/support/codec-context.ts'
import { asSource, blocksOf } from '../../../../test/support/contributing.ts'
import { protocols } from '../../src/protocols.ts'
import { chat } from './acme/chat.ts'
import { acme } from './acme/index.ts'
import { askClaude } from './ask-claude.ts'

const folder = import.meta.dirname
const readme = readFileSync(join(folder, '../../README.md'), 'utf8')

it('the README’s example is the tested file', () => {
  const [, shown] = /```ts\n([\s\S]*?)```/.exec(readme) ?? []
  expect(shown).toBe(readFileSync(join(folder, 'ask-claude.ts'), 'utf8'))
})

it('the README’s example works', async () => {
  const warned = vi.spyOn(console, 'warn').mockReturnValue()
  const sent: unknown[] = []
  const answer = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'Paris' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 9, output_tokens: 1 },
  }
  const fetch = (url: string | URL | Request, init?: RequestInit) => {
    sent.push(url, JSON.parse(String(init?.body)))
    return Promise.resolve(Response.json(answer))
  }
  const question = { role: 'user' as const, content: 'The capital of France?' }
  const reply = await askClaude({ model: 'claude', messages: [question], store: true }, fetch)
  expect(sent).toMatchObject([
    'https://api.anthropic.com/v1/messages',
    { model: 'claude-sonnet-5-5', messages: [{ role: 'user' }] },
  ])
  expect(reply).toMatchObject({ model: 'claude', choices: [{ message: { content: 'Paris' } }] })
  expect(warned).toHaveBeenCalledExactlyOnceWith('store was left out')
  await expect(
    askClaude({ model: 'claude', messages: [question], logit_bias: { '1': 2 } }, fetch),
  ).rejects.toThrow('logit_bias')
})

it('the README names every protocol', () => {
  for (const { id } of protocols) expect(readme).toContain(`\`${id}\``)
})

describe('the protocol in CONTRIBUTING.md', () => {
  it('is the tested one', () => {
    const files = ['chat.ts', 'index.ts'].map((name) => join(folder, 'acme', name))
    expect(blocksOf('Add a protocol')).toEqual(files.map((file) => asSource(file, '../../../src/')))
  })

  it('implements the documented parts', () => {
    const leftOut: string[] = []
    const context = codecContext({ leftOut: (param) => void leftOut.push(param) })
    const content = [{ type: 'text' as const, text: 'Hello' }]
    const request = {
      model: 'm',
      messages: [{ role: 'user' as const, content }],
      max_completion_tokens: 5,
    }
    expect(chat.encode({ ...request, user: 'u' }, context).body).toEqual({
      kind: 'json',
      value: { model: 'upstream-model', prompt: 'user: Hello', limit: 5 },
    })
    expect(leftOut).toEqual(['user'])
    expect(() => chat.encode({ ...request, stop: ['a'] }, context)).toThrow('stop')
    const answer = received('{"text": "Hi", "tokens_in": 3, "tokens_out": 1}')
    expect(chat.decode(answer, context, request).reply.choices[0]?.message.content).toBe('Hi')
    expect(acme.failure(received('No such model', { status: 404 }))).toEqual({
      message: 'No such model',
    })
  })
})
