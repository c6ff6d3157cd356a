// The way of a team in README.md, word by word: every command in its order, in front of an upstream that tells a long story.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { fakeUpstream, json } from '../../../../test/support/fakes/fake-upstream.ts'
import { startSluice } from '../../../../test/support/run-sluice.ts'
import { until } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'

const root = join(import.meta.dirname, '../../../..')

function sectionOf(heading: string): string {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const found = readme.split(/^## /m).find((section) => section.startsWith(`${heading}\n`))
  if (found === undefined) throw new Error(`README.md has no section “${heading}”`)
  return found
}

const blocks = (section: string, language: string) =>
  [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, said]) => said === language)
    .map(([, , code = '']) => code)

/** Without what is another each time: ids, and times. */
const masked = (text: string) =>
  text
    .replaceAll(/\b(team|key|user)_\w{16}/g, '$1_…')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>')

/** What a short story costs, which many models write: 14 × 0.10 + 120 × 0.50 millionths of a dollar. */
const story = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-6-luna',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Once upon a time', refusal: null },
      finish_reason: 'stop',
      logprobs: null,
    },
  ],
  usage: { prompt_tokens: 14, completion_tokens: 120, total_tokens: 134 },
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return String(port)
}

test('the README’s commands for a team with a budget work in order', {
  timeout: 120_000,
}, async () => {
  const section = sectionOf('Give a team a budget')
  using folder = temporaryFolder()
  await using upstream = await fakeUpstream((_seen, response) => json(response, story))
  const port = await freePort()
  const settings = join(folder.path, 'sluice.yaml')
  writeFileSync(settings, '')
  const variables = {
    SLUICE_PORT: port,
    SLUICE_DATA: join(folder.path, 'data'),
    SLUICE_CONFIG: settings,
    OPENAI_API_KEY: 'sk-upstream',
    OPENAI_BASE_URL: upstream.url,
  }
  const gateway = startSluice(['serve'], { folder: folder.path, variables })
  try {
    await until(() => gateway.output().includes('listens on'))
    const script = blocks(section, 'sh')
      .join('\n')
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
    const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`
    const { stdout } = await promisify(execFile)('sh', ['-euc', script], {
      cwd: root,
      env: { PATH: path, ...variables },
    })
    const shown = masked(stdout)
    expect(shown.split('Once upon a time')).toHaveLength(3)
    const [refused = ''] = blocks(section, 'json')
    expect(refused).toContain('insufficient_quota')
    expect(shown).toContain(masked(refused))
    const [table = ''] = blocks(section, 'text')
    expect(table).toContain('0.000061')
    expect(shown).toContain(masked(table))
    expect(shown).toMatch(/"kind":"budget".*"limit":300,"remaining":238.6,/)
    expect(shown).toMatch(
      /Revoked key_… \(app\)[^\n]*\n\{"error":\{"message":"The API key is not valid",/,
    )
    expect(shown).toContain('The audit log is intact')
    expect(
      upstream.seen.filter(({ path: asked }) => asked.endsWith('/chat/completions')),
    ).toHaveLength(2)
  } finally {
    gateway.child.kill()
    await gateway.finished
  }
})
