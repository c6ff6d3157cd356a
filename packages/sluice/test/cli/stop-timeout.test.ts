// How long a gateway that is told to stop waits for what is under way.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fakeUpstream, sse } from '../../../../test/support/fakes/fake-upstream.ts'
import { startSluice } from '../../../../test/support/run-sluice.ts'
import { until } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'

const begun = JSON.stringify({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello' }, finish_reason: null }],
})

test('server.stopTimeoutMs limits shutdown, and a longer stream ends with an error event', async () => {
  await using upstream = await fakeUpstream((_seen, response) =>
    sse(response, [`data: ${begun}\n\n`], { end: false }),
  )
  using folder = temporaryFolder()
  const provider = `{ type: openai, baseUrl: '${upstream.url}', key: k }`
  writeFileSync(
    join(folder.path, 'sluice.yaml'),
    `server: { stopTimeoutMs: 300 }\nproviders: { up: ${provider} }\n`,
  )
  const key = 'sk-test0123456789abcdef'
  const sluice = startSluice(['serve'], {
    folder: folder.path,
    variables: { SLUICE_PORT: '0', SLUICE_API_KEYS: key },
  })
  const address = await until(() => /listens on (http:\S+)/.exec(sluice.output())?.[1], 20_000)
  const answer = await fetch(`${address}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'up/m',
      stream: true,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  })
  expect(answer.status).toBe(200)
  const before = performance.now()
  sluice.child.kill('SIGTERM')
  const text = await answer.text()
  const waitedMs = performance.now() - before
  expect(text).toContain('The gateway is stopping')
  expect(text).not.toContain('[DONE]')
  expect((await sluice.finished).exitCode).toBe(0)
  expect(waitedMs).toBeGreaterThan(250)
  // The default is ten seconds.
  expect(waitedMs).toBeLessThan(9_000)
})
