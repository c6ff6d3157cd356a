// Limits of several workers while one of them is killed: what it had borrowed is lost for a while, and never given twice.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { ownedKey, writeOwners } from '../../support/gateways/owners.ts'
import { startProgram } from '../../support/gateways/program.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const callers = 16
/** Of each call, in tokens. A token costs a millionth of a dollar. */
const tokens = { used: 100, most: 120 }
const limitMicroUsd = 400 * tokens.used
/** What the killed worker had borrowed, a twentieth of the room, and reserved. */
const lostMax = limitMicroUsd / 20 + callers * tokens.most

test('a budget of workers holds while one of them is killed, and the rest of it can be used', async () => {
  using folder = temporaryFolder()
  const data = join(folder.path, 'data')
  mkdirSync(data)
  await writeOwners(data, {
    team: { budgets: [{ id: 'b', window: 'month', limitMicroUsd }] },
    key: { requestsPerMinute: 1_000_000 },
  })
  let answered = 0
  await using upstream = await fakeUpstream(async (_seen, response) => {
    answered += 1
    await new Promise((resolve) => setTimeout(resolve, 5))
    const usage = { prompt_tokens: 0, completion_tokens: tokens.used, total_tokens: tokens.used }
    return json(response, { ...chatReply('Hi'), usage })
  })
  const up = { type: 'openai', baseUrl: upstream.url, key: 'k' } as const
  const content = { prices: { 'up/*': { input: 0, output: 1 } }, providers: { up } }
  await using program = await startProgram({
    folder: folder.path,
    content,
    args: ['--workers', '2'],
  })
  const body = {
    model: 'up/m',
    messages: [{ role: 'user', content: 'Hi' }],
    max_tokens: tokens.most,
  }
  let refused = 0
  let isKilled = false
  const ask = async () => {
    while (refused < 4 * callers) {
      // Those of the killed worker are cut off.
      const status = await program.stream('/v1/chat/completions', body, ownedKey).then(
        async (response) => {
          await response.arrayBuffer()
          return response.status
        },
        () => 0,
      )
      if (status === 429) refused += 1
      if (isKilled || answered < 120) continue
      isKilled = true
      process.kill(program.workers()[0] ?? 0, 'SIGKILL')
    }
  }
  await Promise.all(Array.from({ length: callers }, ask))
  expect(isKilled).toBe(true)
  expect(answered * tokens.used).toBeLessThanOrEqual(limitMicroUsd)
  expect(answered * tokens.used).toBeGreaterThanOrEqual(limitMicroUsd - lostMax - tokens.most)
}, 120_000)
