import { expect, test } from 'vitest'
import { operations, type ResultOf } from '../../contract/src/operations/index.ts'
import { createEngine } from '../src/index.ts'
import { engineContext } from './support/engine-context.ts'

function openEngine() {
  let ids = 0
  return createEngine({
    now: () => 1_760_000_000_000,
    newId: (prefix) => `${prefix}${(ids += 1)}`,
    jobFiles: { write: async () => {}, read: async () => undefined, remove: async () => {} },
    onJobChange: async () => true,
  })
}

test('offers every operation of its models except video jobs', async () => {
  await using engine = openEngine()
  const named = engine.models.flatMap((model) => model.operations)
  expect(named.filter((name) => !(name in operations))).toEqual([])
  const videos = ['createVideo', 'getVideo', 'downloadVideo']
  expect(Object.keys(engine.operations).toSorted()).toEqual(
    named.filter((name) => !videos.includes(name)).toSorted(),
  )
})

test('operations create their own workers', async () => {
  await using engine = openEngine()
  const { workers: _none, ...context } = engineContext()
  const drawn = (await engine.operations.createImage?.(
    { model: 'builtin-image', prompt: 'a red circle', size: '64x64' },
    context,
  )) as Extract<ResultOf<'createImage'>, { kind: 'reply' }>
  expect(drawn.reply.data[0]?.revised_prompt).toBe(
    'Drawn: the words of the prompt, the background color. Left out: red circle.',
  )
})

test('counts tokens like a chat request', async () => {
  await using engine = openEngine()
  const request = { model: 'builtin-chat', messages: [{ role: 'user' as const, content: 'Hi' }] }
  const answer = await engine.operations.chat?.(request, engineContext())
  expect(answer?.kind === 'reply' && answer.usage.inputTokens).toBe(
    await engine.countTokens(request),
  )
})

/** How often other work got its turn meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const spin = () => {
    turns += 1
    if (!isOver) setImmediate(spin)
  }
  spin()
  await work()
  isOver = true
  return turns
}

test('counting a long text does not block the event loop', async () => {
  await using engine = openEngine()
  const messages = [{ role: 'user' as const, content: '速い茶色の狐が飛ぶ。'.repeat(1_600_000) }]
  const counting = () => engine.countTokens({ model: 'builtin-chat', messages })
  // A turn of 8 milliseconds each.
  expect(await turnsDuring(counting)).toBeGreaterThan(3)
})
