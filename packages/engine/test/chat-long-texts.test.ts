import { expect, it } from 'vitest'
import type { ChatRequest } from '../../contract/src/operations/chat-request.ts'
import { sentencesOf } from '../src/chat/text/sentences.ts'
import { trimEndOf } from '../src/chat/text/spans.ts'
import type { OperationContext } from '../src/engine.ts'
import { replyTo, say } from './support/ask-chat.ts'
import { engineContext } from './support/engine-context.ts'

const fragments = [
  '?',
  '!',
  '.',
  ' ',
  'a ',
  'A',
  '"',
  "'",
  '1 ',
  '(',
  '- ',
  'a/',
  'a\n',
  'a: ',
  '“',
  '«',
  '‘',
  '`',
  '3pm ',
  'and ',
  'Ab ',
  '</a>',
  '<a-info>',
  'from a to b ',
]

/** Whatever takes the square of such a text's length would take minutes here. */
it.each(fragments)('answers %j repeated to a hundred thousand characters', async (fragment) => {
  const text = `${fragment.repeat(100_000 / fragment.length)}x`
  expect(await say(text)).not.toBe('')
  expect(sentencesOf(text).join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''))
})

it('trimEndOf removes only the given characters', () => {
  expect(trimEndOf('a.b.?!', '.?!')).toBe('a.b')
  expect(trimEndOf('...', '.')).toBe('')
})

it('answers a large request in a worker and a small one directly', async () => {
  const run: string[] = []
  const context = engineContext()
  const workers: OperationContext['workers'] = {
    run: (name, input, options) => {
      run.push(name)
      return context.workers.run(name, input, options)
    },
  }
  const ask = (content: string) =>
    replyTo({ messages: [{ role: 'user', content }], temperature: 0 }, { ...context, workers })
  expect((await ask('What is 6 times 7?')).choices[0]?.message.content).toBe('6 × 7 = 42')
  expect(run).toEqual([])
  const long = await ask(`The sky is blue. ${'Bees live in hives. '.repeat(1000)}What is blue?`)
  expect(long.choices[0]?.message.content).toBe('The sky is blue.')
  expect(run).toEqual(['composeSentChat'])
})

const nested = (levels: number): Record<string, unknown> => {
  let schema: Record<string, unknown> = { type: 'string' }
  for (let level = 0; level < levels; level++)
    schema = { type: 'object', properties: { a: schema }, required: ['a'] }
  return schema
}

it.each([100, 3000, 5000])(
  'rejects schemas nested %i levels deep by their path',
  async (levels) => {
    const messages: ChatRequest['messages'] = [{ role: 'user', content: 'Go on' }]
    const parameters = nested(levels)
    const tools: ChatRequest['tools'] = [
      { type: 'function', function: { name: 'a', parameters: {} } },
      { type: 'function', function: { name: 'b', parameters } },
    ]
    await expect(replyTo({ messages, tools })).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: 'tools[1]' },
    })
    const json_schema = { name: 'x', schema: parameters }
    await expect(
      replyTo({ messages, response_format: { type: 'json_schema', json_schema } }),
    ).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: 'response_format.json_schema' },
    })
  },
)
