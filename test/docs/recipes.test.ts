// The recipes whose other side can be played here: their settings are those of the page, with another host.
import { expect, test } from 'vitest'
import { parseConfig } from '../../packages/sluice/src/config/file.ts'
import { fakeUpstream } from '../support/fakes/fake-upstream.ts'
import { ask, good } from '../support/routes.ts'
import { start, until } from '../support/start.ts'
import { snippetsOf } from './snippets.ts'

/** The settings of the page that hold a text, with other hosts and secrets. */
function settingsWith(
  text: string,
  hosts: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>>,
) {
  const found = snippetsOf('recipes.md').filter(({ code }) => code.includes(text))
  expect(found, text).toHaveLength(1)
  let code = found[0]!.code
  for (const [host, other] of Object.entries(hosts)) {
    expect(code).toContain(host)
    code = code.replaceAll(host, other)
  }
  return parseConfig(code, 'sluice.yaml', variables)
}

test('traces reach Langfuse at its address, with its credentials', async () => {
  await using langfuse = await fakeUpstream((_seen, response) => void response.end())
  const hosts = { 'https://cloud.langfuse.com': langfuse.url }
  const basic = Buffer.from('pk-lf-1:sk-lf-1').toString('base64')
  await using gateway = await start(settingsWith('/otel/', hosts, { LANGFUSE_BASIC: basic }))
  await gateway.post('/v1/chat/completions', { model: 'gpt-6-luna', ...ask })
  await until(() => langfuse.seen.length > 0)
  expect(langfuse.seen[0]).toMatchObject({
    method: 'POST',
    path: '/api/public/otel/v1/traces',
    headers: {
      authorization: `Basic ${basic}`,
      'content-type': 'application/x-protobuf',
      'x-langfuse-ingestion-version': '4',
    },
  })
})

test('a route to vLLM reaches it by the name of its model, with its key', async () => {
  await using vllm = await fakeUpstream(good)
  const hosts = { 'http://10.0.0.7:8000': vllm.url }
  const variables = { VLLM_KEY: 'key-of-vllm' }
  await using gateway = await start(settingsWith('providers:', hosts, variables))
  for (let call = 0; call < 2; call++) {
    const response = await gateway.post('/v1/chat/completions', { model: 'chat', ...ask })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-sluice-cost')).not.toBeNull()
  }
  expect(vllm.seen.at(-1)).toMatchObject({
    path: '/v1/chat/completions',
    body: { model: 'qwen' },
    headers: { authorization: 'Bearer key-of-vllm' },
  })
})
