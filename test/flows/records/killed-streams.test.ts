// Calls of a killed process are charged by what their callers had received.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqlite } from '../../../packages/store/src/sqlite/open-sqlite.ts'
import { startGateway } from '../../prove/gateway-process.ts'
import { fakeUpstream, sse } from '../../support/fakes/fake-upstream.ts'
import { chunk } from '../../support/fakes/openai-wire.ts'
import { addOwners, ownedKey } from '../../support/gateways/owners.ts'
import { until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('charges a stream cut by a killed process for its prompt and the delivered output', async () => {
  using folder = temporaryFolder()
  {
    await using store = openSqlite({ file: join(folder.path, 'sluice.db') })
    await addOwners(store, {})
  }
  const words = Array.from(
    { length: 100 },
    () => `data: ${JSON.stringify(chunk({ content: 'so ' }))}\n\n`,
  )
  await using upstream = await fakeUpstream((_seen, response) =>
    sse(response, words, { end: false }),
  )
  const config = join(folder.path, 'sluice.yaml')
  const prices = { 'openai/gpt-4o': { input: 1, output: 10 } }
  writeFileSync(config, JSON.stringify({ prices }))
  await using gateway = await startGateway({
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    SLUICE_PORT: '0',
    SLUICE_DATA: folder.path,
    SLUICE_CONFIG: config,
    SLUICE_LOG_LEVEL: 'fatal',
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: upstream.url,
  })
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ownedKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'openai/gpt-4o',
      stream: true,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  })
  const reader = answer.body!.getReader()
  await reader.read()
  // What came is noted in the journal, at first perhaps without the last of it.
  const journal = join(folder.path, 'journal')
  const noted = () =>
    readdirSync(journal).some((name) =>
      /^N.*"outputTokens":100\b/m.test(readFileSync(join(journal, name), 'latin1')),
    )
  await until(noted, 20_000)
  await gateway[Symbol.asyncDispose]()
  await reader.cancel().catch(() => {})
  await using store = openSqlite({
    file: join(folder.path, 'sluice.db'),
    journalFolder: journal,
  })
  await store.flush()
  const [record] = await store.listUsage({ limit: 2 })
  expect(record).toMatchObject({ unsettled: true, estimated: true, outputTokens: 100 })
  expect(record!.costMicroUsd).toBe(record!.inputTokens + 1_000)
}, 60_000)
