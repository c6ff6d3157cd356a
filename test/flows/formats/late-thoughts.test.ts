import { expect, test } from 'vitest'
import { ask } from '../../support/clients/client-formats.ts'
import { sse } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

const parts = (...list: readonly object[]) => ({
  candidates: [{ index: 0, content: { role: 'model', parts: list } }],
})
const stop = { candidates: [{ index: 0, content: { parts: [] }, finishReason: 'STOP' }] }

const asked = { thinking: { type: 'adaptive' } }

/** The types of the blocks of a streamed message, in order, and its text. */
async function blocksOf(
  events: readonly object[],
  further: Readonly<Record<string, unknown>> = asked,
) {
  await using pair = await inFrontOf('gemini', (_, response) => sse(response, events))
  const { wire } = await ask(pair, 'messages', { stream: true, further })
  const told = wire
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)))
  return {
    types: told.flatMap(({ content_block: block }) => block?.type ?? []),
    text: told.map(({ delta }) => delta?.text ?? '').join(''),
    ids: told.flatMap(({ content_block: block }) => block?.id ?? []) as string[],
    thinking: told.map(({ delta }) => delta?.thinking ?? '').join(''),
    last: told.at(-1)?.type as string,
  }
}

test('a thought signature after the text does not end a streamed message', async () => {
  const { types, text, last } = await blocksOf([
    parts({ text: 'Hel' }),
    parts({ text: 'lo' }),
    parts({ text: '', thoughtSignature: 'c2ln' }),
    stop,
  ])
  expect(types).toEqual(['text'])
  expect(text).toBe('Hello')
  expect(last).toBe('message_stop')
})

test('a thought after the text is dropped and does not end the message', async () => {
  const { types, thinking } = await blocksOf([
    parts({ text: 'First.', thought: true }),
    parts({ text: 'Hello' }),
    parts({ text: 'Afterthought.', thought: true }),
    stop,
  ])
  expect(types).toEqual(['thinking', 'text'])
  expect(thinking).toBe('First.')
})

test('keeps the place of a thought between texts or before a call', async () => {
  const { types, thinking, text } = await blocksOf([
    parts({ text: 'Look: ' }),
    parts({ text: 'Where?', thought: true }),
    parts({ text: 'here. ' }),
    parts({ text: '', thoughtSignature: 'c2ln' }),
    parts({ functionCall: { name: 'now', args: {} } }),
    stop,
  ])
  expect(types).toEqual(['text', 'thinking', 'text', 'redacted_thinking', 'tool_use'])
  expect(thinking).toBe('Where?')
  expect(text).toBe('Look: here. ')
})

test('keeps the signature of an answer that has nothing else', async () => {
  const { types } = await blocksOf([parts({ text: '', thoughtSignature: 'c2ln' }), stop])
  expect(types).toEqual(['redacted_thinking'])
})

test.each([{}, { thinking: { type: 'disabled' } }])(
  'drops thoughts when thinking was not requested: %o',
  async (further) => {
    const thought = parts({ text: 'Where?', thought: true })
    const call = { functionCall: { name: 'now', args: {} }, thoughtSignature: 'c2ln' }
    const plain = await blocksOf(
      [thought, parts({ text: 'Hello', thoughtSignature: 'c2ln' }), stop],
      further,
    )
    expect(plain).toMatchObject({ types: ['text'], text: 'Hello', thinking: '' })
    const calling = await blocksOf([parts({ text: 'Look: ' }), parts(call), stop], further)
    expect(calling.types).toEqual(['text', 'tool_use'])
    expect(calling.ids[0]).toMatch(/^[a-zA-Z0-9_-]+$/)
    const nothing = await blocksOf([parts({ text: '', thoughtSignature: 'c2ln' }), stop], further)
    expect(nothing.types).toEqual([])
  },
)
